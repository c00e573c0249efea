// A function of one's own, examined without any files. Compile and run it in the root folder:
//
//     mkdir -p build
//     g++ -std=c++20 -ffp-contract=off -Isrc lessons/examples/your_function.cpp -o build/yours
//     build/yours

#include "proof/causality.hpp"

#include <iostream>

using namespace glassbox;

// Yours: T x C -> T x C', a row for each position. This one adds half of the row before.
Matrix your_function(const Matrix& x) {
    Matrix y = x;
    for (std::size_t t = 1; t < x.rows; ++t)
        for (std::size_t c = 0; c < x.cols; ++c)
            y(t, c) += 0.5 * x(t - 1, c);
    return y;
}

int main() {
    PytorchRandom random(1);
    const Matrix x = random.randn(8, 4); // T x C
    Subject subject{your_function};
    subject.reach = window_reach(2, 1); // its claim; left out: that no later input matters
    const CausalityReport report = examine(subject, x);
    std::cout << report_text(report);
    return report.holds() ? 0 : 1;
}
