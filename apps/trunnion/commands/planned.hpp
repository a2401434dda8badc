// Commands of later versions, which are known by name so that they can be said to be not built.

#pragma once

namespace trunnion {

class command_table;

void add_planned_commands(command_table& commands);

} // namespace trunnion
