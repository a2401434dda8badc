#include "trunnion/kinds/proc_text.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

using namespace trunnion;

BOOST_AUTO_TEST_SUITE(proc_text_test)

BOOST_AUTO_TEST_CASE(stat_gives_the_ticks_of_all_processors) {
  BOOST_TEST(
    (parse_stat("cpu  100 20 30 400 50 6 7 8 9 10\n"
                "cpu0 50 10 15 200 25 3 3 4 0 0\n"
                "cpu1 50 10 15 200 25 3 4 4 0 0\n"
                "intr 12345 0 0\nctxt 99\n")
     == cpu_ticks{
       .processors = 2, .user = 120, .system = 43, .idle = 400, .iowait = 50, .steal = 8}));
  BOOST_TEST((parse_stat("cpu 1 2 3 4\n") // A very old kernel.
              == cpu_ticks{.user = 3, .system = 3, .idle = 4}));
}

BOOST_AUTO_TEST_CASE(stat_without_sense_gives_nothing) {
  for (const std::string_view text :
       {"", "cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 2 3\n", "cpu  1 2 x 4 5 6 7 8\n",
        "cpu  1 2 3 -4 5 6 7 8\n", "cpu  99999999999999999999 2 3 4 5 6 7 8\n",
        "cpu  18446744073709551615 1 1 1 1 1 1 1\n", "cpux 1 2 3 4\n"})
    BOOST_TEST(!parse_stat(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(meminfo_is_in_bytes) {
  const auto memory = parse_meminfo("MemTotal:        1000 kB\nMemFree:          100 kB\n"
                                    "MemAvailable:     250 kB\nSwapTotal:          0 kB\n"
                                    "SwapFree:           0 kB\nHugePages_Total:     3\n");
  BOOST_TEST((memory
              == memory_sample{.total_bytes = 1'024'000,
                               .free_bytes = 102'400,
                               .available_bytes = 256'000,
                               .swap_total_bytes = 0,
                               .swap_free_bytes = 0,
                               .available_ratio = 0.25}));
}

BOOST_AUTO_TEST_CASE(meminfo_leaves_out_what_is_missing_or_impossible) {
  BOOST_TEST(!parse_meminfo("").has_value());
  BOOST_TEST(!parse_meminfo("MemTotal: 0 kB\n").has_value());
  BOOST_TEST(!parse_meminfo("MemTotal: 1000\n").has_value());
  BOOST_TEST(!parse_meminfo("MemTotal: 18446744073709551615 kB\n").has_value());
  BOOST_TEST((parse_meminfo("MemTotal: 1 kB\n") == memory_sample{.total_bytes = 1024}));
  BOOST_TEST(
    (parse_meminfo("MemTotal: 1 kB\nMemAvailable: 2 kB\n") == memory_sample{.total_bytes = 1024}));
}

BOOST_AUTO_TEST_CASE(load_averages_are_three_numbers_that_are_not_negative) {
  BOOST_TEST((parse_loadavg("0.50 1.25 2.00 1/87 6221\n") == load_sample{0.5, 1.25, 2}));
  for (const std::string_view text :
       {"", "0.5 1.2\n", "-1 0 0\n", "nan 0 0\n", "1e999 0 0\n", "inf 0 0\n", "0,5 0 0\n"})
    BOOST_TEST(!parse_loadavg(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(pressure_is_a_share_of_time) {
  BOOST_TEST(
    (parse_pressure("some avg10=50.00 avg60=25.00 avg300=0.00 total=4109012\n"
                    "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n")
     == pressure_sample{pressure_line{0.5, 0.25, 0, 4'109'012}, pressure_line{0, 0, 0, 7}}));
  BOOST_TEST((parse_pressure("some avg10=0 avg60=0 avg300=0 total=1\n")
              == pressure_sample{pressure_line{0, 0, 0, 1}, {}}));
}

BOOST_AUTO_TEST_CASE(pressure_without_sense_gives_nothing) {
  for (const std::string_view text :
       {"", "some avg10=0 avg60=0 total=1\n", "some avg10=101 avg60=0 avg300=0 total=1\n",
        "some avg10=-1 avg60=0 avg300=0 total=1\n", "some avg10=nan avg60=0 avg300=0 total=1\n",
        "some avg10=0 avg60=0 avg300=0 total=-1\n", "some\n", "none avg10=0\n"})
    BOOST_TEST(!parse_pressure(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(disks_count_in_sectors_of_512_bytes) {
  const auto disks = parse_diskstats("   8  0 sda 10 0 100 5 20 0 200 6 0 1234 11\n"
                                     " 104  0 cciss/c0d0 1 0 2 3 4 0 6 7 0 9 10 11 12 13\n"
                                     "   8  1 short 1 2 3\n"
                                     "   8  2 ../etc 1 0 2 3 4 0 6 7 0 9 10\n"
                                     "   8  3 huge 1 0 99999999999999999999 3 4 0 6 7 0 9 10\n"
                                     "   8  4 over 1 0 18446744073709551615 3 4 0 6 7 0 9 10\n");
  BOOST_REQUIRE(disks.has_value());
  BOOST_TEST(disks->size() == 2u);
  BOOST_TEST((disks->at("sda") == disk_counters{51'200, 102'400, 1234}));
  BOOST_TEST((disks->at("cciss!c0d0") == disk_counters{1'024, 3'072, 9}));
  BOOST_TEST(!parse_diskstats("").has_value());
  BOOST_TEST(!parse_diskstats("garbage\n\n\n").has_value());
}

BOOST_AUTO_TEST_CASE(interfaces_have_eight_numbers_each_way) {
  const auto nets = parse_net_dev(
    "Inter-|   Receive                |  Transmit\n"
    " face |bytes    packets errs ... |bytes ...\n"
    "    lo:    3267      29    0    0    0     0          0         0     3267      "
    "29    0    0    0     0       0          0\n"
    "  eth0:5 1 2 0 0 0 0 0 7 1 3 0 0 0 0 0\n"
    "  eth0:1: 6 1 2 0 0 0 0 0 8 1 3 0 0 0 0 0\n"
    "  eth1: 5 1 2 0\n"
    "  e/h1: 5 1 2 0 0 0 0 0 7 1 3 0 0 0 0 0\n");
  BOOST_REQUIRE(nets.has_value());
  BOOST_TEST(nets->size() == 3u);
  BOOST_TEST((nets->at("lo") == net_sample{.received_bytes = 3267, .sent_bytes = 3267}));
  BOOST_TEST(
    (nets->at("eth0")
     == net_sample{.received_bytes = 5, .sent_bytes = 7, .receive_errors = 2, .send_errors = 3}));
  BOOST_TEST(nets->at("eth0:1").received_bytes == 6u);
}

BOOST_AUTO_TEST_CASE(more_devices_than_the_bound_are_left_out) {
  std::string text;
  for (std::size_t i = 0; i < 2 * max_devices; ++i)
    text.append("8 0 sd").append(std::to_string(i)).append(" 1 0 2 3 4 0 6 7 0 9 10\n");
  BOOST_TEST(parse_diskstats(text)->size() == max_devices);
}

BOOST_AUTO_TEST_CASE(sensor_values_are_one_whole_number) {
  BOOST_TEST((parse_number("45123\n") == 45'123));
  BOOST_TEST((parse_number("-5") == -5));
  for (const std::string_view text :
       {"", "\n", "1 2\n", "1\n2\n", "1.5\n", "0x10\n", "99999999999999999999\n"})
    BOOST_TEST(!parse_number(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(labels_are_one_short_line_without_controls) {
  BOOST_TEST(parse_label("Core 0 \nmore") == "Core 0");
  BOOST_TEST(parse_label("\x1B[31mred\x07") == "[31mred");
  BOOST_TEST(parse_label(std::string(1'000, 'x')).size() == 128u);
}

BOOST_AUTO_TEST_CASE(random_bytes_never_crash_a_parser) {
  std::mt19937_64 random{3};
  const std::string seeds[] = {"cpu  1 2 3 4 5 6 7 8\n",
                               "MemTotal: 5 kB\n",
                               "0.1 0.2 0.3\n",
                               "some avg10=0 avg60=0 avg300=0 total=1\n",
                               "8 0 sda 1 0 2 3 4 0 6 7 0 9 10\n",
                               "eth0: 5 1 2 0 0 0 0 0 7 1 3 0 0 0 0 0\n"};
  for (int round = 0; round < 20'000; ++round) {
    auto text = seeds[random() % std::size(seeds)];
    for (auto changes = 1 + random() % 6; changes > 0; --changes)
      text[random() % text.size()] = static_cast<char>(random() % 256);
    const auto stat = parse_stat(text);
    BOOST_REQUIRE(!stat || stat->total() >= stat->idle);
    const auto memory = parse_meminfo(text);
    BOOST_REQUIRE(!memory || memory->total_bytes > 0);
    const auto load = parse_loadavg(text);
    BOOST_REQUIRE(!load || load->one >= 0);
    const auto pressure = parse_pressure(text);
    BOOST_REQUIRE(!pressure || pressure->some || pressure->full);
    const auto disks = parse_diskstats(text);
    BOOST_REQUIRE(!disks || disks->size() <= max_devices);
    const auto nets = parse_net_dev(text);
    BOOST_REQUIRE(!nets || nets->size() <= max_devices);
  }
}

BOOST_AUTO_TEST_SUITE_END()
