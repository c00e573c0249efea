#include "check.hpp"
#include "model/operations.hpp"

#include EXERCISE

using namespace glassbox;

Matrix each(const Matrix& x, double (*function)(double)) {
    return for_each_element(x, function);
}

// sqrt(2) written down with so many digits, the last one rounded or cut off.
Matrix bent_with_digits(const Matrix& x, int digits, bool rounded) {
    const double power = std::pow(10.0, digits), shifted = std::numbers::sqrt2 * power;
    const double root = (rounded ? std::round(shifted) : std::floor(shifted)) / power;
    Matrix result = x;
    for (double& a : result.values)
        a = 0.5 * a * (1.0 + std::erf(a / root));
    return result;
}

void check() {
    const Matrix x{{-3, -0.7, 0}, {0.1, 1, 3}};
    std::vector<Guess> guesses{
        {x, "The numbers come out as they went in."},
        {Matrix(2, 3),
         "Zeros everywhere: 1 / 2 is 0 in C++, since both are whole numbers; "
         "0.5 is a half."},
        {each(x, [](double a) { return std::max(0.0, a); }),
         "This is ReLU, max(0, x), with its corner at 0. GELU is smooth."},
        {each(x, [](double a) { return 0.5 * a * (1.0 + std::erf(a)); }),
         "The sqrt(2) under x is missing: erf(x / sqrt(2))."},
        {gelu_tanh(x),
         "This is the tanh form, GPT-2's approximation. Asked for is the exact "
         "form, with erf."},
        {each(x, [](double a) { return 0.5 * (1.0 + std::erf(a / std::numbers::sqrt2)); }),
         "This is the share of random numbers below x by itself: multiply it by x."},
        {each(x, [](double a) { return a * (1.0 + std::erf(a / std::numbers::sqrt2)); }),
         "Twice too large: the 1/2 is missing."},
        {each(x, [](double a) { return 0.5 * a * (1.0 + std::erf(a * std::numbers::sqrt2)); }),
         "x was multiplied by sqrt(2), not divided."},
        {each(x, [](double a) { return 0.5 * a * (1.0 - std::erf(a / std::numbers::sqrt2)); }),
         "1 - erf is the share above x. Asked for is the share below: 1 + erf."},
        {each(x, [](double a) { return a / (1.0 + std::exp(-a)); }),
         "This is SiLU, x times the logistic function. Asked for is the form with erf."},
        {each(x, [](double a) { return a / (1.0 + std::exp(-1.702 * a)); }),
         "This is the logistic approximation. Asked for is the exact form, with erf."},
        {each(x, [](double a) { return 0.5 * a * (1.0 + std::erfc(a / std::numbers::sqrt2)); }),
         "This is erfc, which is 1 - erf. Asked for is erf."}};
    for (const bool rounded : {false, true})
        for (int digits = 1; digits < 12; ++digits)
            guesses.push_back(
                {bent_with_digits(x, digits, rounded),
                 "The sqrt(2) has too few digits: std::numbers::sqrt2 has them all."});
    expect("the numbers -3 -0.7 0 and 0.1 1 3", bend(x), gelu(x), guesses, {"t", "f"});
}

int main() {
    return checked(check);
}
