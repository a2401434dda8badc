#include "trunnion/backends/memory/stream_index.hpp"

namespace trunnion {

kept_stream& stream_index::at(const subject& x) {
  const auto known = streams_.find(x.text());
  if (known != streams_.end())
    return known->second;
  const auto added = streams_.try_emplace(x.text()).first;
  in_order_.insert(added->first);
  return added->second;
}

const kept_stream* stream_index::find(const subject& x) const {
  const auto known = streams_.find(x.text());
  return known == streams_.end() ? nullptr : &known->second;
}

void stream_index::remove(const subject& x) {
  const auto known = streams_.find(x.text());
  ensure(known != streams_.end(), "a stream is removed once");
  in_order_.erase(known->first);
  streams_.erase(known);
}

stream_subjects stream_index::list(const list_streams& x) const {
  static_assert('.' + 1 == '/', "what begins with `a.` ends before `a/`");
  const auto prefix = x.entity.is_root() ? std::string{} : x.entity.text() + ".";
  const auto most = std::min(x.at_most, max_listed_streams);
  stream_subjects result;
  auto i = x.after && x.after->text() > prefix ? in_order_.upper_bound(x.after->text())
                                               : in_order_.lower_bound(prefix);
  while (i != in_order_.end() && i->starts_with(prefix)) {
    const auto dot = x.deep ? std::string_view::npos : i->find('.', prefix.size());
    if (dot != std::string_view::npos) { // Of a descendant: on behind all of its subjects.
      const auto behind = std::string{i->substr(0, dot)} + '/';
      i = in_order_.lower_bound(behind);
      continue;
    }
    if (result.subjects.size() == most) {
      result.more = true;
      break;
    }
    auto parsed = subject::parse(*i);
    ensure(parsed.has_value(), "what was published has a subject");
    result.subjects.push_back(*std::move(parsed));
    ++i;
  }
  return result;
}

} // namespace trunnion
