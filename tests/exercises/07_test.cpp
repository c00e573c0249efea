#include "check.hpp"
#include "model/operations.hpp"

#include EXERCISE

using namespace glassbox;

Matrix plain_norm(const Matrix& x, double epsilon = 1e-5) {
    return layer_norm(x, Matrix(1, x.cols, 1.0), Matrix(1, x.cols, 0.0), epsilon);
}

double exact(double sum) {
    return sum;
}

// (x - mean of its row) / deviation(variance of its row times C, C); sums are kept as `held` says.
Matrix bent_norm(const Matrix& x, double (*deviation)(double squares, double C),
                 double (*held_sum)(double) = exact, double (*held_mean)(double) = exact,
                 double (*held_squares)(double) = exact) {
    Matrix result = x;
    const double C = static_cast<double>(x.cols);
    for (std::size_t t = 0; t < x.rows; ++t) {
        double sum = 0.0, squares = 0.0;
        for (const double value : x.row(t))
            sum = held_sum(sum + value);
        const double mean = held_mean(sum / C);
        for (const double value : x.row(t))
            squares = held_squares(squares + (value - mean) * (value - mean));
        for (double& value : result.row(t))
            value = (value - mean) / deviation(squares, C);
    }
    return result;
}

// (x - mean, or x) / root of the mean square of (x - mean, or x): 1 subtracts the mean, 0 does not.
Matrix root_mean_square_norm(const Matrix& x, double below, double above) {
    Matrix result = x;
    const double C = static_cast<double>(x.cols);
    for (std::size_t t = 0; t < x.rows; ++t) {
        double mean = 0.0, squares = 0.0;
        for (const double value : x.row(t))
            mean += value / C;
        for (const double value : x.row(t))
            squares += (value - below * mean) * (value - below * mean);
        for (double& value : result.row(t))
            value = (value - above * mean) / std::sqrt(squares / C + 1e-5);
    }
    return result;
}

// Mean and variance over all rows together.
Matrix norm_of_all(const Matrix& x) {
    Matrix all = x, result = x;
    all.rows = 1;
    all.cols = x.values.size();
    result.values = plain_norm(all).values;
    return result;
}

void check() {
    const Matrix x{{1, 2, 3, 6}, {10, 20, 20, 10}};
    expect(
        "the rows 1 2 3 6 and 10 20 20 10", norm_of_rows(x), plain_norm(x),
        {{x, "The rows come out as they went in: mean and variance are still to be computed."},
         {bent_norm(x, [](double, double) { return 1.0; }),
          "The mean is right, but nothing divides by the root of the variance. (A power of 1 / 2 "
          "is "
          "one of 0: both are whole numbers.)"},
         {plain_norm(x, 1e-6), "Epsilon is 1e-5, not 1e-6."},
         {plain_norm(x, 1e-8), "Epsilon is 1e-5, not 1e-8."},
         {root_mean_square_norm(x, 0.0, 0.0),
          "The mean was subtracted neither in the variance nor in the result. (This is RMSNorm.)"},
         {root_mean_square_norm(x, 1.0, 0.0), "The result needs x - mean above the root too."},
         {root_mean_square_norm(x, 0.0, 1.0),
          "The mean of the squares is no variance: subtract the mean before a number is squared."},
         {bent_norm(x,
                    [](double squares, double C) { return std::sqrt(squares / (C - 1) + 1e-5); }),
          "The variance was divided by C - 1. Layer norm divides by C."},
         {bent_norm(x, [](double squares, double C) { return std::sqrt(squares / C) + 1e-5; }),
          "Epsilon was added outside the root; it stands inside, beside the variance."},
         {bent_norm(x, [](double squares, double C) { return squares / C + 1e-5; }),
          "Divided by the variance, not by its root."},
         {bent_norm(x, [](double squares, double) { return std::sqrt(squares + 1e-5); }),
          "The sum of the squares was not divided by C."},
         {bent_norm(x, [](double squares, double C) { return std::sqrt(squares / C); }),
          "There is no epsilon inside the root."},
         {norm_of_all(x), "One mean and one variance for the whole matrix: each row has its own."},
         {transpose(plain_norm(transpose(x))),
          "Mean and variance were taken down a column, over the positions. Each row has its own; "
          "down a column the future would reach the past."}});

    const Matrix constant{{5, 5, 5, 5}};
    expect("the constant row 5 5 5 5", norm_of_rows(constant), Matrix(1, 4),
           {{Matrix(1, 4, std::numeric_limits<double>::quiet_NaN()),
             "0 / 0 is nan: epsilon belongs inside the root."}});

    const Matrix five{{0.1, 0.7, -1.3, 2.2, 4.4}};
    const auto root = [](double squares, double C) { return std::sqrt(squares / C + 1e-5); };
    const auto whole = [](double sum) { return std::trunc(sum); };
    const std::string fractions =
        "A whole number has dropped the fractions of a sum or of the mean: they are doubles. "
        "std::accumulate counts in the type of its last argument: 0.0, not 0.";
    expect("the row 0.1 0.7 -1.3 2.2 4.4: C is 5, and no number is whole", norm_of_rows(five),
           plain_norm(five),
           {{bent_norm(five, root, whole), fractions},
            {bent_norm(five, root, exact, whole), fractions},
            {bent_norm(five, root, whole, whole), fractions},
            {bent_norm(five, root, exact, exact, whole), fractions},
            {bent_norm(five, root, whole, exact, whole), fractions},
            {bent_norm(five, root, whole, whole, whole), fractions}});
}

int main() {
    return checked(check);
}
