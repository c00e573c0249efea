#include "check.hpp"
#include "model/decoder.hpp"

#include EXERCISE

using namespace glassbox;

// A cache of these positions; the key of position s is s, its value 10 s.
LayerCache cache_of(const std::vector<int>& positions) {
    LayerCache cache;
    for (const int s : positions) {
        append_rows(cache.keys, Matrix(1, 1, s));
        append_rows(cache.values, Matrix(1, 1, 10 * s));
        cache.positions.push_back(s);
    }
    return cache;
}

struct GuessedList {
    std::vector<int> looks_like;
    const char* words;
};

// The positions that may be read, in the order of their slots.
std::vector<int> readable(const std::vector<int>& positions, int t, int w) {
    std::vector<int> result;
    for (const int s : positions)
        if (s <= t && s > t - w)
            result.push_back(s);
    return result;
}

void check_case(const std::vector<int>& positions, int t, int w,
                const std::vector<GuessedList>& guesses) {
    const std::string what = std::string("a cache of the positions ") + list(positions) +
        "with a query at " + std::to_string(t) + ", a window of " + std::to_string(w);
    const LayerCache cache = cache_of(positions);
    const LayerCache kept = unless_refused(
        [&] { return kept_by_window(cache, t, w); }, "rows_of: ",
        what + ": the rows are slots, here 0 to " + std::to_string(positions.size() - 1) +
            ". Was a position taken for a slot, or does a loop go one slot too far?");
    const LayerCache wanted = cache_of(readable(positions, t, w));
    if (kept.positions.empty() && kept.keys.rows > 0)
        throw NotSolved{what + ":\n  " + std::to_string(kept.keys.rows) +
                        " keys were kept, and no position. Each entry brings its own: "
                        "kept.positions.push_back(...)\n"};
    if (kept.positions != wanted.positions) {
        std::string text = what + ":\n  expected the positions " + list(wanted.positions) +
            "\n  came                   " + list(kept.positions) + "\n";
        for (const auto& [looks_like, words] : guesses)
            if (kept.positions == looks_like)
                throw NotSolved{text + "  " + words + "\n"};
        throw NotSolved{text};
    }
    const Matrix& keys = kept.keys;
    expect(what + ", the keys (the key of s is s)", keys, wanted.keys, {}, {"slot ", "c"});
    expect(what + ", the values (the value of s is 10 s)", kept.values, wanted.values,
           {{keys, "These are the keys."}}, {"slot ", "c"});
}

void check() {
    const std::vector<int> in_order = positions_from(14, 7);
    check_case(
        in_order, 20, 4,
        {{positions_from(14, 7), "Everything was kept: the window forbids s <= t - w."},
         {positions_from(16, 5),
          "Five positions: a window of 4 counts the current one, so "
          "16 = t - w is outside."},
         {positions_from(16, 4),
          "A window of 4 is the current position and three before "
          "it, not four before it."},
         {positions_from(17, 3), "The current position, 20, is missing: it is one of the 4."},
         {{20, 19, 18, 17}, "The order was turned round: what is kept keeps its order."},
         {positions_from(18, 3), "One too few: 17 = t - 3 may be read."},
         {{0, 1, 2, 3}, "These are slots. A kept entry keeps its absolute position."},
         {{3, 4, 5, 6}, "These are slots. A kept entry keeps its absolute position."},
         {{},
          "Nothing was kept. Were slots (0 to 6) compared with t? Positions are in "
          "cache.positions."}});
    check_case(in_order, 18, 4,
               {{positions_from(15, 6), "19 and 20 are the future of a query at 18: s <= t."},
                {positions_from(17, 4),
                 "These are the last four of the cache. The query at 18 may "
                 "not read 19 and 20, its future."}});
    check_case({0, 1, 2}, 2, 4, {});
    check_case({5, 6, 7, 8, 9}, 9, 1, {});
    // A ring: the newest entries have taken the slots of the oldest.
    const char* const slots = "Slots need not lie in the order of positions: ask every slot.";
    check_case({18, 19, 20, 14, 15, 16, 17}, 20, 4,
               {{{14, 15, 16, 17}, slots},
                {{17}, slots},
                {{18, 19, 20}, slots},
                {{20, 14, 15, 16}, slots},
                {{}, slots},
                {{17, 18, 19, 20}, "What is kept keeps its order: slot by slot."}});
}

int main() {
    return checked(check);
}
