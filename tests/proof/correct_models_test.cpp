// Correct models of many kinds, of which nobody said more than that they are causal: no detector
// may find anything. Many of them are sharp, or forget, so that some of the past never shows.
#include "findings.hpp"
#include "model/block.hpp"
#include "proof/network.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace glassbox;

namespace {

using Row = std::vector<double>;

// Output t from the inputs 0 to t: whatever the function is, the model is causal.
Model of_the_past(const std::function<Row(const Matrix& past)>& row) {
    return [=](const Matrix& x) {
        Matrix result(x.rows, row(rows_of(x, 0, 1)).size());
        for (std::size_t t = 0; t < x.rows; ++t)
            std::ranges::copy(row(rows_of(x, 0, t + 1)), result.row(t).begin());
        return result;
    };
}

// For each channel, from its numbers up to now, the last of them the present one.
Model of_each_channel(const std::function<double(const Row& past)>& number) {
    return of_the_past([=](const Matrix& past) {
        Row result;
        for (std::size_t c = 0; c < past.cols; ++c) {
            Row channel;
            for (std::size_t t = 0; t < past.rows; ++t)
                channel.push_back(past(t, c));
            result.push_back(number(channel));
        }
        return result;
    });
}

// One state, carried from position to position.
Model recurrent(const std::function<double(double state, double now)>& step) {
    return of_each_channel([=](const Row& past) {
        double state = 0;
        for (const double now : past)
            state = step(state, now);
        return state;
    });
}

double share_of(const Row& past, const std::function<double(std::size_t back)>& share) {
    double sum = 0;
    for (std::size_t back = 0; back < past.size(); ++back)
        sum += share(back) * past[past.size() - 1 - back];
    return sum;
}

// Attention of one head over its own inputs; a score of any kind.
Model attention(const std::function<double(double product, std::size_t back)>& weight) {
    return of_the_past([=](const Matrix& past) {
        Row result(past.cols);
        double total = 0;
        for (std::size_t s = 0; s < past.rows; ++s) {
            double product = 0;
            for (std::size_t c = 0; c < past.cols; ++c)
                product += past(past.rows - 1, c) * past(s, c);
            const double w = weight(product, past.rows - 1 - s);
            total += w;
            for (std::size_t c = 0; c < past.cols; ++c)
                result[c] += w * past(s, c);
        }
        for (double& value : result)
            value /= total == 0 ? 1 : total;
        return result;
    });
}

Row of_the_best(const Matrix& past) { // hard attention
    std::size_t best = 0;
    for (std::size_t s = 0; s < past.rows; ++s)
        if (past(s, 0) > past(best, 0))
            best = s;
    return {past.row(best).begin(), past.row(best).end()};
}

double median(Row past) {
    std::ranges::sort(past);
    return past[past.size() / 2];
}

// The first two that choose an expert get it: late comers never displace anybody.
Row first_come(const Matrix& past) {
    std::size_t places = 2;
    for (std::size_t t = 0; t + 1 < past.rows; ++t)
        places -= places > 0 && past(t, 0) > 0;
    const std::size_t now = past.rows - 1;
    const double factor = places > 0 && past(now, 0) > 0 ? 3 : 1;
    Row result(past.row(now).begin(), past.row(now).end());
    for (double& value : result)
        value *= factor;
    return result;
}

Model block_with(std::uint32_t seed, double sharper) {
    PytorchRandom random(seed);
    Block block = Block::from_pytorch(random, 8);
    block.attention.query.weight = block.attention.query.weight * sharper;
    block.attention.key.weight = block.attention.key.weight * sharper;
    return block;
}

const std::vector<std::pair<std::string, Model>> models{
    {"copies", [](const Matrix& x) { return x; }},
    {"knows the last but one only",
     of_each_channel([](const Row& p) { return p.size() > 1 ? p[p.size() - 2] : 0.0; })},
    {"running sum", recurrent([](double s, double x) { return s + x; })},
    {"running mean", of_each_channel([](const Row& p) {
         return std::accumulate(p.begin(), p.end(), 0.0) / static_cast<double>(p.size());
     })},
    {"running maximum", of_each_channel([](const Row& p) { return *std::ranges::max_element(p); })},
    {"running minimum", of_each_channel([](const Row& p) { return *std::ranges::min_element(p); })},
    {"running median", of_each_channel(median)},
    {"running product, damped",
     recurrent([](double s, double x) { return std::tanh((s + 1) * x); })},
    {"y(t) = x(t) + 0.1 y(t-1)", recurrent([](double s, double x) { return x + 0.1 * s; })},
    {"y(t) = x(t) + 0.99 y(t-1)", recurrent([](double s, double x) { return x + 0.99 * s; })},
    {"a gate that closes", recurrent([](double s, double x) { return x > 0 ? x : s; })},
    {"tanh of state and input", recurrent([](double s, double x) { return std::tanh(s + x); })},
    {"counts signs", recurrent([](double s, double x) { return s + (x > 0 ? 1 : -1); })},
    {"causal convolution of 3", of_each_channel([](const Row& p) {
         return share_of(p, [](std::size_t b) { return b < 3 ? 0.5 : 0.0; });
     })},
    {"dilated convolution", of_each_channel([](const Row& p) {
         return share_of(p, [](std::size_t b) { return b % 4 == 0 ? 1.0 : 0.0; });
     })},
    {"long convolution that fades", of_each_channel([](const Row& p) {
         return share_of(p, [](std::size_t b) { return std::exp(-3.0 * static_cast<double>(b)); });
     })},
    {"soft attention", attention([](double p, std::size_t) { return std::exp(std::tanh(p)); })},
    {"sharp attention",
     attention([](double p, std::size_t) { return std::exp(30 * std::tanh(p)); })},
    {"linear attention", attention([](double p, std::size_t) { return 1 + std::tanh(p); })},
    {"attention that slopes", attention([](double p, std::size_t b) {
         return std::exp(std::tanh(p) - 8.0 * static_cast<double>(b));
     })},
    {"attention in a window of 2",
     attention([](double p, std::size_t b) { return b < 2 ? std::exp(std::tanh(p)) : 0.0; })},
    {"hard attention", of_the_past(of_the_best)},
    {"attention within its chunk of 4", of_the_past([](const Matrix& past) {
         const std::size_t first = (past.rows - 1) / 4 * 4;
         return of_the_best(rows_of(past, first, past.rows - first));
     })},
    {"experts, first come first served", of_the_past(first_come)},
    {"rounds to whole numbers",
     recurrent([](double s, double x) { return std::round(s / 2 + x); })},
    {"a block", block_with(3, 1)},
    {"a block, twice",
     [one = block_with(3, 1), two = block_with(4, 10)](const Matrix& x) { return two(one(x)); }},
};

} // namespace

BOOST_AUTO_TEST_SUITE(correct_models)

BOOST_AUTO_TEST_CASE(no_correct_model_is_accused,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("intervention_from_position_2") *
                         label("undeclared_forbids_the_present") *
                         label("undeclared_reach_demanded") * label("influence_of_one_position")) {
    for (const auto& [name, model] : models)
        for (const std::size_t T : {3U, 20U}) {
            const CausalityReport report = examine({model}, random_input(T, 8));
            BOOST_TEST(report.conclusion() == "CAUSAL, as far as these inputs can show",
                       name << ", T " << T << "\n"
                            << report_text(report));
            BOOST_TEST(report.holds(), name);
        }
}

BOOST_AUTO_TEST_CASE(a_block_with_sharp_attention_is_causal,
                     *label("mask_removed") * label("mask_one_too_far") *
                         label("undeclared_forbids_the_present") *
                         label("undeclared_reach_demanded") * label("influence_of_one_position")) {
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
        const CausalityReport report = examine({block_with(seed, 10)}, random_input(12, 8));
        BOOST_TEST(report.conclusion() == "CAUSAL, as far as these inputs can show",
                   report_text(report));
    }
}

// The same kinds, each with the smallest step into the future: the next input's sign, a billionth
// of it, or all of it.
BOOST_AUTO_TEST_CASE(every_correct_model_with_a_look_ahead_is_accused,
                     *label("proof_forgets_the_position_before") *
                         label("proof_skips_the_first_column") * label("leak_called_dependence")) {
    for (const auto& [name, model] : models)
        for (const auto& peek : std::vector<std::function<double(double)>>{
                 [](double v) { return v > 0 ? 1.0 : 0.0; }, [](double v) { return 1e-9 * v; },
                 [](double v) { return v; }}) {
            const Model leaky = [&, honest = model](const Matrix& x) {
                Matrix result = honest(x);
                for (std::size_t t = 0; t + 1 < x.rows; ++t)
                    result(t, 0) += peek(x(t + 1, 0));
                return result;
            };
            BOOST_TEST(examine({leaky}, random_input(4, 8))
                           .conclusion()
                           .starts_with("LEAK, the future moves the past: "),
                       name);
        }
}

BOOST_AUTO_TEST_SUITE_END()
