// The layers of a block that look at one row at a time, each with the numbers that it has learned.
#pragma once

#include "model/operations.hpp"
#include "numbers/matrix.hpp"

namespace glassbox {

// y = x W^T (+ bias), with or without a bias.
struct Linear {
    Matrix weight; // out x in
    Matrix bias;   // 1 x out, or empty: none

    Matrix operator()(const Matrix& x) const {
        return bias.values.empty() ? linear(x, weight) : linear(x, weight, bias);
    }
};

// Every row brought to mean 0 and variance 1, then stretched by gain and moved by bias.
struct LayerNorm {
    Matrix gain; // 1 x C
    Matrix bias; // 1 x C

    Matrix operator()(const Matrix& x) const { return layer_norm(x, gain, bias); }
};

// Everything that an Mlp computes on its way.
struct MlpStations {
    Matrix hidden;    // T x F
    Matrix activated; // T x F
    Matrix output;    // T x C
};

// Two layers with a GELU between them, on each row alone; the hidden width F is 4C.
struct Mlp {
    Linear expand;  // F x C
    Linear project; // C x F

    MlpStations stations(const Matrix& x) const {
        MlpStations at;
        at.hidden = expand(x);
        at.activated = gelu(at.hidden);
        at.output = project(at.activated);
        return at;
    }
    Matrix operator()(const Matrix& x) const { return stations(x).output; }
};

} // namespace glassbox
