#include "trunnion/tool/commands/planned.hpp"

#include "trunnion/tool/command.hpp"

namespace trunnion {

void add_planned_commands(command_table& commands) {
  commands.add_planned("service", {"init"});
  commands.add_planned("kv", {"get", "put", "rm", "ls", "watch", "dump", "load"});
  commands.add_planned("stream", {"pub", "tail", "ls", "info"});
  commands.add_planned("request", {"send", "serve", "bench"});
  commands.add_planned("lease",
                       {"hold", "ls", "show", "watch", "break", "acquire", "refresh", "release"});
  commands.add_planned("elect", {"run", "observe"});
  commands.add_planned("ledger", {"run", "get", "has", "put", "claim", "submit", "release",
                                  "extend", "stats", "clear", "evict", "ls"});
  commands.add_planned("node", {"serve", "ls", "ping", "certs"});
  for (const char* verb : {"sim", "top", "web", "bench", "doctor", "completion"})
    commands.add_planned(verb);
}

} // namespace trunnion
