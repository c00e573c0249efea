// The mask: a rule that says which keys a query may read.
//
//           s0 s1 s2 s3
//      t0    x  .  .  .      row t:    the position that asks (query)
//      t1    x  x  .  .      column s: the position that may be read (key)
//      t2    x  x  x  .      x: may be read
//      t3    x  x  x  x      (causal, no window)
#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace glassbox {

struct Mask {
    static constexpr int no_window = std::numeric_limits<int>::max();

    bool causal = true;     // true: only the present and the past may be read
    int window = no_window; // w: only s > t - w, so the current position counts as one of the w

    // May the query at position t read the key at position s?
    // Throws std::invalid_argument for a window below 1 (it would forbid the query itself) and for
    // a negative position.
    bool allows(int t, int s) const {
        require_sensible(t, s);
        return (!causal || s <= t) && s > t - window;
    }

private:
    void require_sensible(int t, int s) const {
        if (window < 1)
            throw std::invalid_argument("Mask: the window is " + std::to_string(window) +
                                        "; wanted at least 1, the current position itself");
        if (t < 0 || s < 0)
            throw std::invalid_argument("Mask: asked for query " + std::to_string(t) + ", key " +
                                        std::to_string(s) + "; positions count from 0");
    }
};

// count positions in a row: first, first + 1, ... Throws std::invalid_argument for a negative
// count.
inline std::vector<int> positions_from(int first, std::size_t count) {
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw std::invalid_argument("positions_from: wanted 0 or more positions, got " +
                                    std::to_string(static_cast<std::ptrdiff_t>(count)));
    std::vector<int> positions(count);
    for (std::size_t i = 0; i < count; ++i)
        positions[i] = first + static_cast<int>(i);
    return positions;
}

} // namespace glassbox
