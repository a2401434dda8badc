#include "trunnion/actors/election_sight.hpp"

#include "trunnion/messages/service_record.hpp"

namespace trunnion {

std::optional<seen_leader> see_leader(const entry& x, epoch at,
                                      const std::optional<seen_leader>& before) {
  if (!x.is_live())
    return std::nullopt;
  const auto record = decode_lease_record(x.payload.bytes());
  if (!record || record->broken)
    return std::nullopt;
  seen_leader result{.name = name_in(record->record).value_or(record->owner),
                     .owner = record->owner,
                     .token = record->token.value_or(fencing_token{at, x.revision}),
                     .holder = record->holder,
                     .acquired_at = record->acquired_at};
  const bool is_same = before && before->token.epoch == at && before->holder == result.holder
                       && before->acquired_at == result.acquired_at;
  if (is_same && !record->token)
    result.token = before->token;
  return result;
}

} // namespace trunnion
