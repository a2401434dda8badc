#include "trunnion/backends/faulty/faulty_url.hpp"

#include "trunnion/messages/ensure.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <utility>

namespace trunnion {
namespace {

tl::unexpected<failure> refuse(std::string text) {
  return fail(error_code::invalid_argument, std::move(text));
}

outcome<std::uint64_t> read_seed(std::string_view text) {
  std::uint64_t result = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, result);
  if (read.ec != std::errc{} || read.ptr != end)
    return refuse("the seed of a faulty link is a whole number, such as seed=1");
  return result;
}

bool is_file_name(std::string_view plan) {
  const auto colon = plan.find(':');
  return plan != "none" && (colon == std::string_view::npos || plan.find('/') < colon);
}

outcome<fault_plan> read_plan_file(const std::string& name) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(name, ignored)) // A pipe might never be answered.
    return refuse("there is no file '" + name + "' of a plan");
  std::ifstream file{name, std::ios::binary};
  std::string text(max_plan_text + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad() || (file.fail() && !file.eof()))
    return refuse("there is no readable file '" + name
                  + "' with a plan of faults; a plan may be written out, too: drop:0.01+delay:5ms");
  text.resize(static_cast<std::size_t>(file.gcount()));
  auto plan = parse_plan(text);
  if (!plan)
    plan.error().text = "in the file '" + name + "': " + plan.error().text;
  return plan;
}

outcome<fault_plan> read_plan(std::string_view text) {
  if (text.empty() || !is_file_name(text))
    return parse_plan(text);
  return read_plan_file(std::string{text});
}

} // namespace

outcome<faulty_url> read_faulty_url(std::string_view url) {
  constexpr auto form = "a faulty link reads faulty+URL#seed=N,plan=PLAN, such as "
                        "faulty+memory:#seed=1,plan=drop:0.01+delay:5ms";
  ensure(url.size() >= faulty_prefix.size(), "the scheme has been looked at");
  url.remove_prefix(faulty_prefix.size());
  const auto hash = url.rfind('#');
  if (hash == std::string_view::npos)
    return refuse(form);
  faulty_url result{.inner = std::string{url.substr(0, hash)}, .seed = 0, .plan = {}};
  bool has_seed = false, has_plan = false;
  auto rest = url.substr(hash + 1);
  for (bool more = true; more;) {
    const auto comma = rest.find(',');
    const auto option = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    rest = more ? rest.substr(comma + 1) : std::string_view{};
    if (option.starts_with("seed=") && !std::exchange(has_seed, true)) {
      const auto seed = read_seed(option.substr(5));
      if (!seed)
        return tl::unexpected{seed.error()};
      result.seed = *seed;
    } else if (option.starts_with("plan=") && !std::exchange(has_plan, true)) {
      const auto plan = read_plan(option.substr(5));
      if (!plan)
        return tl::unexpected{plan.error()};
      result.plan = *plan;
    } else {
      return refuse(form);
    }
  }
  if (!has_seed || !has_plan)
    return refuse(form);
  return result;
}

} // namespace trunnion
