// A gallery of causality bugs that people really make. Each is the smallest change to a correct
// network that has the bug; what it claims about the detectors is tested, and lesson 11 measures
// it.
//
// "Seen in" names public reports, by project and number of the issue or pull request (PR), where
// one is known.
#pragma once

#include "model/block.hpp"
#include "numbers/matrix.hpp"
#include "numbers/random.hpp"
#include "proof/detectors.hpp"
#include "proof/network.hpp"

#include <algorithm>
#include <any>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace glassbox {

struct Leak {
    std::string id; // L: a bug, FA: a false alarm, no leak at all
    std::string title;
    std::string seen_in;   // public reports
    std::string how;       // one sentence: how it happens
    std::string caught_by; // the letters of the detectors that fail on it, and no others do
    Subject subject;
};

namespace leaks {

using std::size_t;

// ---- The mask

inline Leak missing_on_one_path(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        const bool fast_path = q.rows == 1;
        return attend_where(q, k, v, first,
                            [=](size_t t, size_t s) { return !fast_path || s <= t; });
    };
    return {"L01",
            "mask missing on one path",
            "keras #23038; transformers #48745, PR #48760 (merged)",
            "There are two implementations, and only the one that the tests call has the mask.",
            "A B C D E1 E3 Em F",
            subject_of(bent)};
}

inline Leak wrong_way_round(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        return attend_where(q, k, v, first, [](size_t t, size_t s) { return s >= t; });
    };
    return {"L02",
            "mask the wrong way round",
            "tensorflow/text PR #894; LLMs-from-scratch PR #1062 (merged)",
            "Rows and columns, or 'may look' and 'may not look', are taken for each other.",
            "A B C D E1 E3 Em F",
            subject_of(bent)};
}

inline Leak one_step_too_far(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        return attend_where(q, k, v, first, [](size_t t, size_t s) { return s <= t + 1; });
    };
    return {"L03",
            "mask one step too far",
            "octo #75 (open)",
            "An index counts from 1 where it should count from 0.",
            "A B C D E1 E3 Em F",
            subject_of(bent)};
}

inline Network without_own_position(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        return attend_where(q, k, v, first, [](size_t t, size_t s) { return s < t; });
    };
    return bent;
}

inline Leak own_position_left_out(const Network& correct) {
    const Network bent = without_own_position(correct);
    Subject attention_alone{[bent](const Matrix& x) {
        const Matrix normed = bent.norm(x);
        return bent
            .attend(bent.block.attention.query(normed), bent.block.attention.key(normed),
                    bent.block.attention.value(normed), 0)
            .output;
    }};
    attention_alone.reach = causal_reach(); // all of the past, and the present
    return {"L04a",
            "own position left out, before the residual",
            "accelerated-model-architectures PR #480",
            "A strict comparison, s < t, forbids the one position that is always allowed.",
            "F",
            attention_alone};
}

inline Leak own_position_left_out_and_hidden(const Network& correct) {
    return {"L04b",
            "the same behind the residual",
            "as above",
            "The residual path carries the own position past the bug, and nothing is missed.",
            "",
            subject_of(without_own_position(correct))};
}

inline double hide(size_t t, size_t s, double score, double hidden) {
    return s > t ? hidden : score;
}

inline Network with_finite_mask_value(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        return attend_filled(q, k, v, first, [](size_t t, size_t s, double score) {
            return hide(t, s, score, -1e4);
        });
    };
    return bent;
}

inline Leak finite_mask_value(const Network& correct) {
    return {"L05a",
            "finite mask value, ordinary scores",
            "minGPT #75; transformers #15199, PR #17306 (merged)",
            "Somebody wrote -1e4 for minus infinity; the weights still underflow to exactly 0.",
            "C",
            subject_of(with_finite_mask_value(correct))};
}

inline Leak scores_below_the_mask_value(const Network& correct) {
    Network bent = with_finite_mask_value(correct);
    bent.block.attention.key.weight = bent.block.attention.query.weight * -1e5; // "learned"
    return {"L05b",
            "finite mask value, scores below it",
            "as above",
            "Training moves the scores below -1e4, and what is masked is now the best there is.",
            "A B C D E1 E3 Em F",
            subject_of(bent)};
}

inline Leak weak_additive_mask(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        return attend_filled(q, k, v, first, [](size_t t, size_t s, double score) {
            return hide(t, s, score, score - 20.0);
        });
    };
    return {"L05c",
            "weak additive mask",
            "keras PR #15390",
            "The mask subtracts 20 from a score: the weight shrinks by e^20 and is not 0.",
            "A B C D E1 E3 Em F",
            subject_of(bent)};
}

inline Leak masked_after_softmax(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        Attention open =
            attend_filled(q, k, v, first, [](size_t, size_t, double score) { return score; });
        for (size_t t = 0; t < q.rows; ++t)
            for (size_t s = first + t + 1; s < k.rows; ++s)
                open.weights(t, s) = 0.0;
        return Attention{matmul(open.weights, v), open.weights};
    };
    return {"L06",
            "mask after the softmax, not renormalised",
            "memory-compressed-attention #2 (fixed)",
            "The softmax has divided by a sum over the future before the zeros are put in.",
            "B C D E1 E3 Em F",
            subject_of(bent)};
}

inline Leak softmax_along_the_wrong_axis(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const Matrix scores = filled_scores(q, k, first, [](size_t t, size_t s, double score) {
            return hide(t, s, score, -infinity);
        });
        const Matrix weights = transpose(softmax_rows(transpose(scores)));
        return Attention{matmul(weights, v), weights};
    };
    return {
        "L06b",
        "softmax along the wrong axis",
        "a common mistake; no report is named here",
        "Each key shares out 1 among the positions that read it, and later ones take their part.",
        "B C D E1 E3 Em F",
        subject_of(bent)};
}

// Position 0 is padding: nobody may read it, so its own query may read nothing.
inline bool readable_behind_padding(size_t t, size_t s) {
    return s <= t && (s != 0 || t == 0);
}

inline Leak padded_row_averages_everything(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        return attend_filled(q, k, v, first, [](size_t t, size_t s, double score) {
            return s == 0 || s > t ? -1e9 : score;
        });
    };
    Subject subject = subject_of(bent);
    subject.reach = readable_behind_padding;
    subject.cached = {};
    subject.packed = {};
    return {
        "L07",
        "a fully masked row averages all values",
        "onnxruntime #28904",
        "All scores of a padded row get the same finite value, and equal scores are equal shares.",
        "A B C D F",
        subject};
}

inline Leak padded_row_is_nan(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return attend_filled(q, k, v, first, [](size_t t, size_t s, double score) {
            if (t ==
                0) // what other libraries' softmax makes of a row of -infinity; ours refuses it
                return std::numeric_limits<double>::quiet_NaN();
            return s == 0 || s > t ? -infinity : score;
        });
    };
    Subject subject = subject_of(bent);
    subject.model = [one = subject.model](const Matrix& x) { return one(one(x)); }; // two layers
    subject.cached = {};
    subject.packed = {};
    return {"L08",
            "a fully masked row is NaN, and spreads",
            "pytorch #110213; burn PR #4697 (merged)",
            "0/0 in a padded row; one layer later every row multiplies that NaN by 0.",
            "N",
            subject};
}

inline Leak masked_values_still_read(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return attend_filled(q, k, v, first, [](size_t t, size_t s, double score) {
            return hide(t, s, score, -infinity);
        });
    };
    return {"L09",
            "masked values still read",
            "flash-attention #1745, #2374; pytorch #101967",
            "A weight of exactly 0 is multiplied with the value, and 0 times NaN is NaN.",
            "C",
            subject_of(bent)};
}

// ---- The cache

inline Leak wrong_corner(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t) {
        return attend_where(q, k, v, 0, [](size_t t, size_t s) { return s <= t; });
    };
    return {"L10",
            "mask aligned to the wrong corner",
            "flash-attention #951; onnx PR #8068 (merged)",
            "With fewer queries than keys, queries are numbered from 0, keys by where they stand.",
            "E1 E3 Em",
            subject_of(bent)};
}

inline Leak skipped_with_a_cache(const Network& correct) {
    Network bent = correct;
    bent.attend = [](const Matrix& q, const Matrix& k, const Matrix& v, size_t first) {
        const bool has_cache = first > 0;
        return attend_where(q, k, v, first,
                            [=](size_t t, size_t s) { return has_cache || s <= t; });
    };
    return {"L11",
            "mask skipped when a cache is attached",
            "TinyLLM #17, PR #18 (merged)",
            "A single new token may read everything cached, so the mask seemed needless; a chunk "
            "may not.",
            "E3 Em",
            subject_of(bent)};
}

// ---- The window (of 4 positions, the current one included)

inline Leak windowed(const Network& correct, Leak leak, int window) {
    Subject& subject = leak.subject;
    subject = subject_of(Network(correct.block, {.causal = true, .window = window}));
    subject.reach = window_reach(4, 1);
    subject.packed = {};
    return leak;
}

inline Leak window_too_wide(const Network& correct) {
    return windowed(correct,
                    {"L12b",
                     "window one too wide",
                     "transformers #39408, PR #40163 (merged)",
                     "Does a window of 4 count the current position? Here it does not.",
                     "F",
                     {}},
                    5);
}

inline Leak window_forgotten(const Network& correct) {
    return windowed(correct,
                    {"L12c",
                     "window forgotten",
                     "unsloth PR #8253 (merged)",
                     "A path takes the causal mask and drops the window.",
                     "F",
                     {}},
                    Mask::no_window);
}

inline Leak window_too_narrow(const Network& correct) {
    return windowed(correct,
                    {"L12d",
                     "window one too narrow",
                     "mlx-lm PR #390 (merged)",
                     "The same question answered wrongly in the other direction.",
                     "F",
                     {}},
                    3);
}

// ---- Positions

inline Leak positions_restart(const Network& correct) {
    Network bent = correct;
    bent.code = [code = correct.code](size_t, size_t count) { return code(0, count); };
    return {"L13",
            "positions restart in the cache",
            "mlx-lm PR #93 (merged)",
            "Each chunk is numbered from 0, as if it were a text of its own.",
            "E1 E3 Em",
            subject_of(bent)};
}

inline Leak code_depends_on_the_length(const Network& correct) {
    Network bent = correct;
    bent.code = [code = correct.code](size_t first, size_t count) {
        return code(first, count) * (1.0 / std::sqrt(static_cast<double>(first + count)));
    };
    return {
        "L14",
        "position code depends on the total length",
        "transformers #25104, PR #33129 (merged)",
        "A scale is computed from the length of the run, so a longer run rewrites its beginning.",
        "D E1 E3 Em",
        subject_of(bent)};
}

// ---- Outside of attention

inline Leak normalised_over_time(const Network& correct) {
    Network bent = correct;
    bent.norm = [](const Matrix& x) {
        return transpose(layer_norm(transpose(x), Matrix(1, x.rows, 1.0), Matrix(1, x.rows)));
    };
    return {"L15",
            "normalisation over time",
            "espnet #5900 (found by a NaN); NLP-Tutorials #10",
            "Mean and deviation are taken along the wrong axis: of a channel, over all positions.",
            "B C D E1 E3 Em F G",
            subject_of(bent)};
}

inline Leak convolution_padded_on_both_sides(const Network& correct) {
    Network bent = correct;
    bent.norm = [norm = correct.norm](const Matrix& x) {
        const Matrix none(1, x.cols);
        Matrix before = none, after = rows_of(x, 1, x.rows - 1);
        append_rows(before, rows_of(x, 0, x.rows - 1));
        append_rows(after, none);
        return norm(before * 0.25 + x * 0.5 + after * 0.25);
    };
    return {"L16",
            "convolution padded on both sides",
            "a public WaveNet, #1",
            "Padding that keeps the length is split between both ends; it belongs to the left one.",
            "B C D E1 E3 Em F G",
            subject_of(bent)};
}

inline Leak chosen_over_the_sequence(const Network& correct) {
    Network bent = correct;
    bent.mlp = [mlp = correct.mlp](const Matrix& x) {
        std::vector<double> ranked;
        for (size_t t = 0; t < x.rows; ++t)
            ranked.push_back(x(t, 0));
        std::ranges::sort(ranked);
        Matrix result = mlp(x);
        for (size_t t = 0; t < x.rows; ++t)
            if (x(t, 0) < ranked[x.rows / 2]) // only the upper half goes through the MLP
                std::ranges::fill(result.row(t), 0.0);
        return result;
    };
    return {"L19",
            "rows chosen over the sequence",
            "OLMoE #46; MoSA #3 (open)",
            "The best half of all positions is chosen, and who else is there decides who belongs "
            "to it.",
            "B C D E1 E3 Em F G",
            subject_of(bent)};
}

// ---- What ought to be separate

inline Leak cache_shared_by_branches(const Network& correct) {
    Subject subject = subject_of(correct);
    using Shared = std::shared_ptr<Memory>;
    subject.cached->start = [] { return std::any(std::make_shared<Memory>()); };
    subject.cached->extend = [correct](std::any& cache, const Matrix& chunk) {
        return correct.extend(*std::any_cast<Shared&>(cache), chunk).output;
    };
    subject.cached->resume = {};
    return {"L23",
            "a cache shared by two branches",
            "VeloxQuant-MLX PR #59 (merged)",
            "What was copied is a pointer: both branches write into one cache.",
            "G",
            subject};
}

inline Leak one_token_past_the_edit(const Network& correct) {
    Subject subject = subject_of(correct);
    subject.cached->resume = [correct](std::any& cache, const Matrix& x) {
        return correct.resume(std::any_cast<Memory&>(cache), x, 1);
    };
    return {"L24",
            "prefix cache used one token past the edit",
            "claude-code-local PR #47 (merged)",
            "The common prefix of two prompts is taken one token too long.",
            "G",
            subject};
}

inline Leak packed_documents_meet(const Network& correct) {
    Subject subject = subject_of(correct);
    subject.packed = [model = subject.model](const Matrix& x, size_t) { return model(x); };
    return {"L25",
            "packed documents see each other",
            "axolotl PR #3796 (merged)",
            "Two documents fill one row of a batch, and the mask does not know where one ends.",
            "G",
            subject};
}

inline Leak unfilled_slots_attended(const Network& correct) {
    Network bent = correct;
    bent.attend = [right = correct.attend](const Matrix& q, const Matrix& k, const Matrix& v,
                                           size_t first) {
        if (first == 0)
            return right(q, k, v, first);
        Matrix key_slots = k, value_slots = v;
        append_rows(key_slots, Matrix(4, k.cols)); // room for tokens to come
        append_rows(value_slots, Matrix(4, v.cols));
        return attend_where(q, key_slots, value_slots, first,
                            [&](size_t t, size_t s) { return s <= t || s >= k.rows; });
    };
    return {"L27",
            "unfilled cache slots attended",
            "tt-metal #41215 (open)",
            "The cache has room for tokens to come, and its zeros get their share of the softmax.",
            "E1 E3 Em",
            subject_of(bent)};
}

inline Leak written_one_slot_too_far(const Network& correct) {
    Network bent = correct;
    bent.attend = [right = correct.attend](const Matrix& q, const Matrix& k, const Matrix& v,
                                           size_t first) {
        if (first == 0)
            return right(q, k, v, first);
        Matrix key_slots(1, k.cols), value_slots(1, v.cols); // slot 0 is never written
        append_rows(key_slots, rows_of(k, 0, k.rows - 1));
        append_rows(value_slots, rows_of(v, 0, v.rows - 1));
        return right(q, key_slots, value_slots, first);
    };
    return {"L28",
            "cache written one slot too far",
            "onnxruntime-genai PR #2354 (merged)",
            "The position is advanced before the write instead of after it.",
            "E1 E3 Em",
            subject_of(bent)};
}

// ---- False alarms: no leaks, and detectors that could think so

inline Leak dropout_left_on(const Network& correct) {
    Network bent = correct;
    bent.mlp = [mlp = correct.mlp, random = std::make_shared<NumpyRandom>(1)](const Matrix& x) {
        Matrix result = mlp(x);
        for (double& value : result.values)
            if (random->random() < 0.1)
                value = 0.0;
        return result;
    };
    return {"FA2",
            "dropout left on: no leak",
            "pytorch #42929",
            "The model is in training mode and zeroes numbers at random.",
            "N",
            subject_of(bent)};
}

inline Leak sum_grouped_by_length(const Network& correct) {
    Network bent = correct;
    bent.attend = [right = correct.attend](const Matrix& q, const Matrix& k, const Matrix& v,
                                           size_t first) {
        Attention result = right(q, k, v, first);
        const size_t half = k.rows / 2;
        for (size_t t = 0; t < q.rows; ++t)
            for (size_t c = 0; c < v.cols; ++c) {
                double sums[2] = {0.0, 0.0};
                for (size_t s = 0; s <= first + t; ++s)
                    sums[s >= half] += result.weights(t, s) * v(s, c);
                result.output(t, c) = sums[0] + sums[1];
            }
        return result;
    };
    return {"FA3",
            "order of additions depends on the length: no leak",
            "transformers #25420",
            "A fast kernel cuts a sum into blocks, and where it cuts depends on the length.",
            "D E1 E3 Em",
            subject_of(bent)};
}

} // namespace leaks

// The network with nothing bent: width 8, drawn from PyTorch's stream.
inline Network correct_network(std::uint32_t seed = 23) {
    PytorchRandom random(seed);
    return Network(Block::from_pytorch(random, 8));
}

// Every leak and false alarm, bent from one correct network.
inline std::vector<Leak> gallery(const Network& correct) {
    std::vector<Leak> result;
    for (const auto& make : {leaks::missing_on_one_path,
                             leaks::wrong_way_round,
                             leaks::one_step_too_far,
                             leaks::own_position_left_out,
                             leaks::own_position_left_out_and_hidden,
                             leaks::finite_mask_value,
                             leaks::scores_below_the_mask_value,
                             leaks::weak_additive_mask,
                             leaks::masked_after_softmax,
                             leaks::softmax_along_the_wrong_axis,
                             leaks::padded_row_averages_everything,
                             leaks::padded_row_is_nan,
                             leaks::masked_values_still_read,
                             leaks::wrong_corner,
                             leaks::skipped_with_a_cache,
                             leaks::window_too_wide,
                             leaks::window_forgotten,
                             leaks::window_too_narrow,
                             leaks::positions_restart,
                             leaks::code_depends_on_the_length,
                             leaks::normalised_over_time,
                             leaks::convolution_padded_on_both_sides,
                             leaks::chosen_over_the_sequence,
                             leaks::cache_shared_by_branches,
                             leaks::one_token_past_the_edit,
                             leaks::packed_documents_meet,
                             leaks::unfilled_slots_attended,
                             leaks::written_one_slot_too_far,
                             leaks::dropout_left_on,
                             leaks::sum_grouped_by_length})
        result.push_back(make(correct));
    return result;
}

} // namespace glassbox
