#include "check.hpp"

#include EXERCISE

using namespace glassbox;

// Sums of the terms first to last - 1, kept in a type that may not hold them.
template <typename Number>
Matrix summed_in(const Matrix& a, const Matrix& b, std::size_t first, std::size_t last) {
    Matrix result(a.rows, b.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < b.rows; ++j) {
            Number sum = 0;
            for (std::size_t k = first; k < last; ++k)
                sum = static_cast<Number>(sum + a(i, k) * b(j, k));
            result(i, j) = sum;
        }
    return result;
}

// Each element and all those before it.
Matrix running_sum(Matrix m) {
    for (std::size_t i = 1; i < m.values.size(); ++i)
        m.values[i] += m.values[i - 1];
    return m;
}

void check() {
    const Matrix a{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, b{{1, 2, 1}, {3, 1, 2}, {2, 1, 4}};
    expect(
        "a b^T for a = 1 2 3 / 4 5 6 / 7 8 9 and b = 1 2 1 / 3 1 2 / 2 1 4", rows_meet_rows(a, b),
        matmul_transposed(a, b),
        {{matmul(a, b), "This is a b: row i of a met column j of b. Here it meets row j of b."},
         {matmul_transposed(b, a), "This is b a^T: rows and columns of the result are exchanged."},
         {summed_in<double>(a, b, 2, 3),
          "Only the last term of each sum has arrived: the terms must be added up (+=)."},
         {summed_in<double>(a, b, 0, 1), "Only the first term of each sum has arrived."},
         {summed_in<double>(a, b, 1, 3), "The first term of each sum is missing: k begins at 0."},
         {summed_in<double>(a, b, 0, 2), "The last term of each sum is missing: k goes to 2."},
         {running_sum(matmul_transposed(a, b)),
          "The sum goes on from element to element: each element begins with a sum of 0."}},
        {"i", "j"});

    const Matrix wide{{0.1, 0.2, 0.7}, {1.4, 2.5, 3.6}};
    const Matrix tall{{7, 9, 1.1}, {0.8, 10, 12}, {0, 0, 1}, {1, 0, 0}};
    expect(
        "two rows of three fractions (2x3) with four rows (4x3)", rows_meet_rows(wide, tall),
        matmul_transposed(wide, tall),
        {{summed_in<int>(wide, tall, 0, 3), "An int drops every fraction: the sum is a double."}},
        {"i", "j"});
}

int main() {
    return checked(check);
}
