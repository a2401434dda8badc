#include "trunnion/tool/command_line.hpp"

int main(int argc, char** argv) { return trunnion::tool_main(argc, argv); }
