// Lesson 19: heads
//
// Question: why several heads, and who shares keys?
// New here: Heads, attend_heads. From lessons 05, 10 and 14: attend, intervene, the cache.
// Text: docs/19_heads.md
//
// Predict before you run: eight columns of queries are read as four heads of two columns, and two
// groups of keys serve them. One column of the second group is changed. Which heads notice?

#include "model/heads.hpp"
#include "numbers/random.hpp"
#include "proof/causality.hpp"
#include "show/figure.hpp"
#include "show/terminal.hpp"

#include <algorithm>
#include <iostream>
#include <limits>
#include <span>

using namespace glassbox;

// Self-attention with heads: queries, keys and values come from the same rows.
struct Layer {
    Heads heads;
    Matrix wq, wk, wv; // C x C, then C x GD twice
    Mask mask{.causal = true};

    HeadedAttention attend(const Matrix& q, const Matrix& k, const Matrix& v) const {
        const std::vector<int> positions = positions_from(0, q.rows);
        return attend_heads(q, k, v, heads, positions, positions, mask);
    }
    HeadedAttention attend(const Matrix& x) const {
        return attend(matmul(x, wq), matmul(x, wk), matmul(x, wv));
    }
    Matrix operator()(const Matrix& x) const { return attend(x).output; }
};

// PyTorch's stream for seed 5; the three layers ask the same queries.
struct Lab {
    PytorchRandom random{5};
    Matrix x = random.randn(5, 8);
    Layer four{{4, 4}, random.randn(8, 8), random.randn(8, 8), random.randn(8, 8)};
    Layer one{{4, 1}, four.wq, random.randn(8, 2), random.randn(8, 2)};
    Layer two{{4, 2}, four.wq, random.randn(8, 4), random.randn(8, 4)};
};

bool one_head_and_two_by_hand() {
    const Matrix q{{0, 0}, {1000, 1000}}, k{{1, 0}, {0, 1}}, v{{10, 100}, {20, 200}};
    const std::vector<int> positions{0, 1};
    const Mask causal{.causal = true};
    const Matrix single = attend_heads(q, k, v, {1, 1}, positions, positions, causal).output;
    const Matrix both = attend_heads(q, k, v, {2, 2}, positions, positions, causal).output;
    show("output of one head", single);
    show("output of two heads", both);
    return same_bits(single, {{10, 100}, {15, 150}}) && same_bits(both, {{10, 100}, {10, 200}});
}

// A row of q, k, v or output as the heads see it: | two numbers | two numbers | ...
void print_by_heads(const std::string& name, std::span<const double> row, std::size_t D) {
    std::cout << name;
    for (std::size_t c = 0; c < row.size(); ++c)
        std::cout << (c % D == 0 ? " |" : "") << padded(fixed(row[c]), 8);
    std::cout << " |\n";
}

// Every head, cut out by hand and attending alone, gives its columns of the output.
bool heads_are_columns(const Lab& lab) {
    const Matrix q = matmul(lab.x, lab.four.wq), k = matmul(lab.x, lab.four.wk),
                 v = matmul(lab.x, lab.four.wv);
    const std::vector<int> positions = positions_from(0, 5);
    const HeadedAttention all = lab.four.attend(q, k, v);
    Matrix shares(4, 5);
    bool same = true;
    print_by_heads("row t4 of q     ", q.row(4), 2);
    for (std::size_t h = 0; h < 4; ++h) {
        const Attention alone = attend(columns_of(q, 2 * h, 2), columns_of(k, 2 * h, 2),
                                       columns_of(v, 2 * h, 2), positions, positions, Mask{});
        same = same && same_bits(alone.output, columns_of(all.output, 2 * h, 2));
        std::ranges::copy(all.weights[h].row(4), shares.row(h).begin());
    }
    print_by_heads("row t4 of output", all.output.row(4), 2);
    show("weights of t4, head by head", shares, "h", "s");
    std::cout << "each head alone gives its columns, every bit: " << yes_or_no(same) << "\n";
    return same;
}

void explain_a_wrong_number(std::size_t heads, std::size_t channels) {
    try {
        Heads{heads, heads}.width(channels);
    } catch (const std::invalid_argument& error) {
        std::cout << "refused: " << error.what() << "\n";
    }
}

void print_sharing(const Lab& lab, const Layer& layer) {
    const Matrix k = matmul(lab.x, layer.wk);
    std::cout << padded(std::to_string(layer.heads.groups), 6) << "        ";
    for (std::size_t h = 0; h < layer.heads.count; ++h)
        std::cout << " " << layer.heads.group_of(h);
    std::cout << "        " << shape_text(k)
              << padded(std::to_string(cached_numbers(k.rows, 8, layer.heads)), 16)
              << padded(shape_text(layer(lab.x)), 15) << "\n";
}

// The columns of every group as often as heads read it, so that each head has its own copy.
Matrix copied(const Matrix& m, const Heads& heads, std::size_t D) {
    Matrix result(m.rows, heads.count * D);
    for (std::size_t r = 0; r < m.rows; ++r)
        for (std::size_t h = 0; h < heads.count; ++h)
            for (std::size_t d = 0; d < D; ++d)
                result(r, h * D + d) = m(r, h / (heads.count / heads.groups) * D + d);
    return result;
}

bool sharing_is_copying(const Lab& lab, const Layer& layer) {
    const Matrix q = matmul(lab.x, layer.wq), k = matmul(lab.x, layer.wk),
                 v = matmul(lab.x, layer.wv);
    const Matrix shared = layer.attend(q, k, v).output;
    const Matrix own =
        lab.four.attend(q, copied(k, layer.heads, 2), copied(v, layer.heads, 2)).output;
    std::cout << counted(layer.heads.groups, "group")
              << ", shared or copied out to four heads, the same bits: "
              << yes_or_no(same_bits(shared, own)) << "\n";
    return same_bits(shared, own);
}

// H x GD: element (h, c) is how far head h moved when column c of keys and values changed its sign.
Matrix who_reads(const Lab& lab, const Layer& layer) {
    const Matrix q = matmul(lab.x, layer.wq), k = matmul(lab.x, layer.wk),
                 v = matmul(lab.x, layer.wv);
    const Matrix before = layer.attend(q, k, v).output;
    constexpr double smallest = std::numeric_limits<double>::denorm_min();
    Matrix moved(layer.heads.count, k.cols);
    for (std::size_t c = 0; c < k.cols; ++c) {
        Matrix other_k = k, other_v = v;
        for (std::size_t s = 0; s < k.rows; ++s) {
            other_k(s, c) = -k(s, c);
            other_v(s, c) = -v(s, c);
        }
        const Matrix after = layer.attend(q, other_k, other_v).output;
        for (std::size_t h = 0; h < layer.heads.count; ++h) {
            const Matrix was = columns_of(before, 2 * h, 2), is = columns_of(after, 2 * h, 2);
            if (!same_bits(was, is)) // 0 stands for "every bit kept", and for nothing else
                moved(h, c) = std::max(max_abs_difference(was, is), smallest);
        }
    }
    return moved;
}

// Both controls: exactly 0 where a head reads another group, and far from 0 where it reads this.
bool only_its_heads_moved(const Matrix& moved) {
    bool right = true;
    for (std::size_t h = 0; h < 4; ++h)
        for (std::size_t c = 0; c < 4; ++c)
            right = right && (h / 2 == c / 2 ? moved(h, c) > 0.01 : same_bits(moved(h, c), 0.0));
    return right;
}

// Every token replaced in turn: 10 pairs of a changed position and an earlier output.
bool is_causal(const Lab& lab, Layer layer) {
    const Matrix replacement(1, 8, 1.5);
    std::size_t kept = 0, moved = 0;
    for (std::size_t position = 0; position < 5; ++position) {
        const Intervention experiment = intervene(layer, lab.x, position, replacement);
        for (std::size_t t = 0; t < position; ++t)
            kept += same_bits(experiment.before.row(t), experiment.after.row(t));
        moved += present_moved(experiment);
    }
    std::cout << padded(std::to_string(layer.heads.groups), 6) << padded(std::to_string(kept), 7)
              << " of 10" << padded(std::to_string(moved), 15) << " of 5           ";
    layer.mask.causal = false;
    const auto leak = first_move_in_the_past(intervene(layer, lab.x, 4, replacement));
    std::cout << (leak ? "token 4 moves t" + std::to_string(leak->moved_position) : "nothing moves")
              << "\n";
    return kept == 10 && moved == 5 && leak;
}

int lesson() {
    const Lab lab;
    step(1, "the same q, k and v, read by one head and by two");
    const bool by_hand = one_head_and_two_by_hand();

    step(2, "four heads are four ranges of columns");
    const bool columns = heads_are_columns(lab);
    explain_a_wrong_number(3, 8);
    explain_a_wrong_number(48, 1600);

    step(3, "who shares keys: 4, 2 and 1 groups");
    std::cout << "groups   heads 0 1 2 3   k and v   cached numbers   output\n"
              << "         read group      shape     of 5 positions   shape\n";
    for (const Layer* layer : {&lab.four, &lab.two, &lab.one})
        print_sharing(lab, *layer);
    print_by_heads("row t4, 4 groups", lab.four(lab.x).row(4), 2);
    print_by_heads("row t4, 2 groups", lab.two(lab.x).row(4), 2);
    print_by_heads("row t4, 1 group ", lab.one(lab.x).row(4), 2);

    step(4, "sharing keys is copying them, without the copies");
    const bool two = sharing_is_copying(lab, lab.two);
    const bool one = sharing_is_copying(lab, lab.one);

    step(5, "intervene: change one column of keys and values, which heads notice?");
    const Matrix moved = who_reads(lab, lab.two);
    show("how far head h moved", moved, "h", "c");
    const bool own_group = only_its_heads_moved(moved);
    std::cout << "heads of the other group kept every bit, its own moved: " << yes_or_no(own_group)
              << "\n";

    step(6, "replace every token in turn: is every head causal?");
    std::cout << "groups   earlier outputs   changed positions   control,\n"
              << "         kept every bit    moved               without the mask\n";
    bool causal = true;
    for (const Layer* layer : {&lab.four, &lab.two, &lab.one})
        causal = is_causal(lab, *layer) && causal;

    return verdict("A HEAD READS ITS OWN COLUMNS AND ITS GROUP'S, AND NOTHING FROM THE FUTURE",
                   by_hand && columns && two && one && own_group && causal);
}

void figures(const std::filesystem::path& folder) {
    const Lab lab;
    const HeadedAttention attention = lab.four.attend(lab.x);
    std::vector<Panel> heads;
    for (std::size_t h = 0; h < 4; ++h)
        heads.push_back({"head " + std::to_string(h) + ": columns " + std::to_string(2 * h) +
                             " and " + std::to_string(2 * h + 1),
                         attention.weights[h]});
    heat_maps({.title = "Four heads, four opinions on what to read",
               .description = "Four 5 by 5 lower triangles of attention weights from the same "
                              "input. In the same row the heads give their weight to different "
                              "positions.",
               .row_axis = "row t: who asks",
               .column_axis = "column s: who is read"},
              heads, "t", "s")
        .write(folder / "19_weights.svg");

    heat_maps({.title = "Which head reads which columns of keys and values",
               .description = "Three maps of 4 heads. With 4 groups every head reads 2 of 8 "
                              "columns, with 2 groups two neighbours read the same 2 of 4, with "
                              "1 group all heads read the same 2. Every other cell is exactly 0.",
               .row_axis = "head",
               .column_axis = "column c of keys and values, changed; in the cell: how far the "
                              "head moved"},
              {{"4 groups: 80 cached", who_reads(lab, lab.four)},
               {"2 groups: 40 cached", who_reads(lab, lab.two)},
               {"1 group: 20 cached", who_reads(lab, lab.one)}},
              "h", "c")
        .write(folder / "19_who_reads.svg");
}

int main(int argc, char** argv) {
    return run(argc, argv, lesson, figures);
}
