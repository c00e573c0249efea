// make bench: how long products, a block and decoding take on one core of this machine.
//
//     build/bench                     everything, about a minute; ends with the guard
//     build/bench block T C H         one block alone: its median in milliseconds, nothing else
//     build/bench guard               is the fast product three times as fast as plain loops?
//
// Built with the release flags whatever MODE is, so that there is one answer.
#include "model/block.hpp"
#include "record/experiment.hpp"
#include "show/stopwatch.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <ctime>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>

using namespace glassbox;

namespace {

constexpr std::size_t runs = 7;

double median(const std::vector<double>& sorted) {
    return sorted[sorted.size() / 2];
}

// The first line that begins with `model name` in Linux's list of processors.
std::string processor() {
    std::ifstream list("/proc/cpuinfo");
    for (std::string line; std::getline(list, line);)
        if (line.starts_with("model name"))
            return line.substr(line.find(':') + 2);
    return "processor unknown";
}

void print_line(const std::string& what, const std::vector<double>& seconds,
                const std::string& remark) {
    std::cout << padded(what, 36) << padded(fixed(1e3 * median(seconds), 4), 11)
              << padded(fixed(1e3 * seconds.front(), 4), 11)
              << padded(fixed(1e3 * seconds.back(), 4), 11) << "   " << remark << std::endl;
}

void bench_matmul(double peak) {
    for (const std::size_t n : {16U, 64U, 256U, 768U, 1024U}) {
        const Matrix a = NumpyRandom(1).normal(0, 1, n, n), b = NumpyRandom(2).normal(0, 1, n, n);
        Matrix c(n, n);
        const auto seconds =
            seconds_of([&] { matmul_fast(a.values, b.values, c.values, n, n, n); }, runs);
        const double size = static_cast<double>(n);
        const double rate = 2e-9 * size * size * size / median(seconds);
        print_line("matmul, n = " + std::to_string(n), seconds,
                   fixed(rate, 1) + " GFLOP/s, " + fixed(100 * rate / peak, 0) + " % of the peak");
    }
}

// A block of GPT-2's kind: H heads, biases, and a projection that joins the heads.
Block drawn_block(NumpyRandom& random, std::size_t C, std::size_t H) {
    const auto linear = [&](std::size_t in, std::size_t out) -> Linear {
        return {random.normal(0, 0.02, out, in), random.normal(0, 0.02, 1, out)};
    };
    const auto norm = [&]() -> LayerNorm {
        return {random.normal(1, 0.1, 1, C), random.normal(0, 0.1, 1, C)};
    };
    return {.ln1 = norm(),
            .attention = {.query = linear(C, C),
                          .key = linear(C, C),
                          .value = linear(C, C),
                          .heads = {H, H},
                          .project = linear(C, C)},
            .ln2 = norm(),
            .mlp = {.expand = linear(C, 4 * C), .project = linear(4 * C, C)}};
}

struct BlockSetup {
    NumpyRandom random{7};
    Block block;
    Matrix x;
    BlockSetup(std::size_t T, std::size_t C, std::size_t H)
        : block(drawn_block(random, C, H)), x(random.normal(0, 1, T, C)) {}
};

std::vector<double> time_block(const BlockSetup& setup) {
    setup.block(setup.x); // touches the memory
    return seconds_of([&] { setup.block(setup.x); }, runs);
}

// The share of the parts, each timed alone: milliseconds, medians.
std::string parts_of(const BlockSetup& setup) {
    const Block& block = setup.block;
    const BlockStations at = block.stations(setup.x);
    const std::vector<int> positions = positions_from(0, setup.x.rows);
    const auto time = [](const std::string& name, const std::function<void()>& part) {
        return name + " " + fixed(1e3 * median(seconds_of(part, 3)), 1);
    };
    const auto attend_alone = [&] {
        attend_heads(at.attention.queries, at.attention.keys, at.attention.values,
                     block.attention.heads, positions, positions, block.attention.mask,
                     Weights::dropped);
    };
    const auto products = [&] {
        block.attention.query(at.ln1);
        block.attention.key(at.ln1);
        block.attention.value(at.ln1);
        block.attention.project(at.attention.mixed);
        block.mlp.expand(at.ln2);
        block.mlp.project(at.mlp.activated);
    };
    const auto norms = [&] {
        block.ln1(setup.x);
        block.ln2(at.after_attention);
    };
    return time("products", products) + ", " + time("attention", attend_alone) + ", " +
        time("GELU", [&] { gelu(at.mlp.hidden); }) + ", " + time("norms", norms);
}

void bench_block(std::size_t T, std::size_t C, std::size_t H) {
    const BlockSetup setup(T, C, H);
    const std::string shape = "T = " + std::to_string(T) + ", C = " + std::to_string(C);
    print_line("block, " + shape + ", H = " + std::to_string(H), time_block(setup),
               parts_of(setup));
}

// The decoder of lessons 12 to 15, d = 16: its plain code, token by token.
void bench_decoding() {
    const Decoder decoder = Decoder::from_numpy(7);
    for (const int T : {24, 64, 128, 256}) {
        std::vector<int> tokens;
        for (int i = 0; i < T; ++i)
            tokens.push_back((7 * i + 3) % 32);
        for (const bool cached : {false, true}) {
            const auto seconds = seconds_of(
                [&] {
                    cached ? token_by_token(decoder, tokens, experiment::causal)
                           : by_prefixes(decoder, tokens, experiment::causal);
                },
                runs);
            print_line("decoding, T = " + std::to_string(T) + ", d = 16", seconds,
                       cached ? "with the cache" : "every prefix anew");
        }
    }
}

// The loop i, k, j: the best order that three plain loops can have.
void by_rows(const Matrix& a, const Matrix& b, Matrix& c) {
    std::ranges::fill(c.values, 0.0);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < a.cols; ++k)
            for (std::size_t j = 0; j < b.cols; ++j)
                c.values[i * c.cols + j] += a.values[i * a.cols + k] * b.values[k * b.cols + j];
}

// Processor time of this process alone, so that a busy machine disturbs little.
double processor_seconds_of(const std::function<void()>& product) {
    const std::clock_t start = std::clock();
    product();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// A compiler that no longer vectorises the tile makes right results, slowly: only a clock notices.
int guard() {
    constexpr std::size_t n = 512;
    const Matrix a = NumpyRandom(1).normal(0, 1, n, n), b = NumpyRandom(2).normal(0, 1, n, n);
    Matrix c(n, n), d(n, n);
    double slow = std::numeric_limits<double>::infinity(), quick = slow;
    for (int i = 0; i < 5; ++i) { // best of five, in turn
        slow = std::min(slow, processor_seconds_of([&] { by_rows(a, b, c); }));
        quick = std::min(quick, processor_seconds_of([&] {
                             matmul_fast(a.values, b.values, d.values, n, n, n);
                         }));
    }
    std::cout << "matmul_fast against i, k, j, n = 512: " << fixed(slow / quick, 1)
              << " times as fast, wanted 3" << std::endl;
    return slow >= 3 * quick ? 0 : 1;
}

int bench_all() {
    const double peak = peak_of_one_core();
    std::cout << processor() << ", one core, peak " << fixed(peak, 1) << " GFLOP/s, compiler "
              << __VERSION__ << "\n"
              << padded("milliseconds of " + std::to_string(runs) + " runs", 36)
              << padded("median", 11) << padded("best", 11) << padded("worst", 11) << "\n";
    bench_matmul(peak);
    for (const std::size_t T : {128U, 256U, 512U})
        bench_block(T, 768, 12);
    bench_block(1024, 768, 12);
    bench_block(1024, 768, 1);
    bench_decoding();
    return guard();
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    try {
        if (arguments.empty())
            return bench_all();
        if (arguments.size() == 1 && arguments[0] == "guard")
            return guard();
        if (arguments.size() == 4 && arguments[0] == "block") {
            const BlockSetup setup(std::stoul(arguments[1]), std::stoul(arguments[2]),
                                   std::stoul(arguments[3]));
            std::cout << fixed(1e3 * median(time_block(setup)), 1) << "\n";
        } else {
            throw std::invalid_argument("usage: bench, bench guard, or bench block T C H");
        }
    } catch (const std::exception& error) {
        std::cerr << "bench: " << error.what() << "\n";
        return 2;
    }
}
