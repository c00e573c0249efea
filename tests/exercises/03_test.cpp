#include "check.hpp"
#include "model/mask.hpp"
#include "model/operations.hpp"

#include EXERCISE

using namespace glassbox;

// Two pairs of channels at four positions; the angle of the second pair is speed * t, in a unit.
Matrix waves(double speed, double unit = 1.0, double first = 0.0) {
    Matrix P(4, 4);
    for (std::size_t t = 0; t < 4; ++t) {
        const double angle = unit * (static_cast<double>(t) + first), slow = speed * angle;
        P.values[4 * t] = std::sin(angle);
        P.values[4 * t + 1] = std::cos(angle);
        P.values[4 * t + 2] = std::sin(slow);
        P.values[4 * t + 3] = std::cos(slow);
    }
    return P;
}

// Channel c turned by t / 10000^(c / C).
Matrix waves_of_channels() {
    Matrix P = waves(0.01);
    for (std::size_t t = 0; t < 4; ++t) {
        P(t, 1) = std::cos(0.1 * static_cast<double>(t));
        P(t, 3) = std::cos(0.001 * static_cast<double>(t));
    }
    return P;
}

Matrix columns_of(const Matrix& m, const std::vector<std::size_t>& order) {
    Matrix result(m.rows, m.cols);
    for (std::size_t r = 0; r < m.rows; ++r)
        for (std::size_t c = 0; c < m.cols; ++c)
            result(r, c) = m(r, order[c]);
    return result;
}

void check() {
    const Matrix P = sinusoidal_positions(positions_from(0, 4), 4);
    expect(
        "the code of 4 positions in 4 channels", code_of_positions(4, 4), P,
        {{columns_of(P, {1, 0, 3, 2}),
          "Sine and cosine have changed places: the sine comes first, in channel 2i."},
         {columns_of(P, {0, 2, 1, 3}),
          "All sines in the left half, all cosines in the right: here a pair is neighbours."},
         {waves(1.0),
          "All pairs turn equally fast, as if 2i / C were 0. Two whole numbers "
          "divide to a whole number: 2 / 4 is 0, 2.0 / 4 is a half."},
         {waves(1e-4),
          "The second pair is too slow: the exponent is 2i / C for pair i. Does i go up in twos "
          "(i += 2)? Then it is 2i already."},
         {waves(0.01, std::numbers::pi / 180.0),
          "The angles were turned into degrees, or from them: std::sin takes radians as they are."},
         {waves(0.01, 180.0 / std::numbers::pi),
          "The angles were turned into degrees, or from them: std::sin takes radians as they are."},
         {waves(0.01, 1.0, 1.0), "The positions count from 1 here: they count from 0."},
         {waves_of_channels(),
          "Each channel has an angle of its own: a pair shares one, that of i."},
         {waves(0.1), "The second pair is too fast: the exponent is 2i / C for pair i, not i / C."},
         {waves(100.0), "The second pair is faster than the first: t is divided by the power."}});
    expect("the code of 3 positions in 6 channels", code_of_positions(3, 6),
           sinusoidal_positions(positions_from(0, 3), 6));
}

int main() {
    return checked(check);
}
