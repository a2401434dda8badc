// How a command says which arguments it takes.
//
// A command names its options once, with the variables that they go to. One binder reads a command
// line into them, another prints them as help; neither shows the library that it uses.
//
// Threads: used by one at a time.

#pragma once

#include "trunnion/site/duration_text.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trunnion {

class option_binder {
public:
  virtual ~option_binder() = default;

  /// An argument without a name, which must be there.
  virtual void argument(const char* name, std::string& into, const char* help) = 0;
  /// Any number of arguments without a name; the last of a command.
  virtual void arguments(const char* name, std::vector<std::string>& into, const char* help) = 0;

  // Options. `names` is such as `-q,--quiet`, `value` the word for its value in help.
  virtual void flag(const char* names, bool& into, const char* help) = 0;
  virtual void text(const char* names, const char* value, std::optional<std::string>& into,
                    const char* help)
    = 0;
  /// May be given again and again.
  virtual void texts(const char* names, const char* value, std::vector<std::string>& into,
                     const char* help)
    = 0;
  /// May be given again and again; each value is read by `take`, which says what is wrong with it.
  virtual void each(const char* names, const char* value,
                    std::function<text_outcome<void>(const std::string&)> take, const char* help)
    = 0;
  /// With a unit, as in `500ms`.
  virtual void duration(const char* names, const char* value,
                        std::optional<std::chrono::nanoseconds>& into, const char* help)
    = 0;
};

} // namespace trunnion
