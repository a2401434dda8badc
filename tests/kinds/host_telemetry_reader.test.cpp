#include "trunnion/kinds/host_telemetry_reader.hpp"

#include "trunnion/messages/json.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

/// A machine made of files, gone with the test.
struct machine {
  machine() {
    auto pattern = (fs::temp_directory_path() / "trunnion-telemetry-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    root = pattern;
  }

  ~machine() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }

  void write(const std::string& path, std::string_view text) const {
    fs::create_directories((root / path).parent_path());
    std::ofstream{root / path} << text;
  }

  /// Everything that a machine may have, in a first state.
  void write_all() const {
    write("proc/stat", "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 100 0 50 800 50 0 0 0 0 0\n");
    write("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 250 kB\n");
    write("proc/loadavg", "0.50 1.25 2.00 1/87 6221\n");
    for (const std::string resource : {"cpu", "memory", "io"})
      write("proc/pressure/" + resource, "some avg10=50.00 avg60=25.00 avg300=0.00 total=9\n");
    write("proc/diskstats", "8 0 sda 1 0 100 0 1 0 200 0 0 1000 0\n"
                            "8 1 sda1 1 0 100 0 1 0 200 0 0 1000 0\n"
                            "7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n");
    write("proc/net/dev", "eth0: 1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n");
    write("sys/block/sda/size", "1\n");
    write("sys/block/loop0/size", "1\n");
    write("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
    write("sys/class/thermal/thermal_zone0/temp", "45123\n");
    write("sys/class/thermal/cooling_device0/type", "Fan\n");
    write("sys/class/hwmon/hwmon0/name", "nct6775\n");
    write("sys/class/hwmon/hwmon0/temp1_input", "38500\n");
    write("sys/class/hwmon/hwmon0/temp1_label", "SYSTIN\n");
    write("sys/class/hwmon/hwmon0/fan2_input", "1200\n");
    write("sys/class/hwmon/hwmon0/in0_input", "1008\n");
    write("sys/class/hwmon/hwmon0/power1_input", "2500000\n");
  }

  [[nodiscard]] host_telemetry_reader reader(std::vector<std::string> sources
                                             = host_telemetry_reader::settings{}.sources) const {
    return host_telemetry_reader{
      {.sources = std::move(sources),
       .mounts = {"/data", "/gone"},
       .proc_root = root / "proc",
       .sys_root = root / "sys",
       .measure = [](const std::string& path) {
         return path == "/data" ? std::optional{filesystem_size{1'000, 250}} : std::nullopt;
       }}};
  }

  fs::path root;
};

std::string text_of(const std::set<std::string>& words) {
  std::string result;
  for (const auto& word : words)
    result.append(result.empty() ? "" : " ").append(word);
  return result;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(host_telemetry_reader_test, machine)

BOOST_AUTO_TEST_CASE(a_first_sample_has_all_values_and_no_rates) {
  write_all();
  const auto sample = reader().sample(0s);
  BOOST_TEST(
    to_json(sample)
    == R"({"cpu":{"count":1},)"
       R"("memory":{"total_bytes":1024000,"free_bytes":102400,"available_bytes":256000,)"
       R"("available_ratio":0.25},)"
       R"("load":{"one":0.5,"five":1.25,"fifteen":2.0},)"
       R"("pressure":{)"
       R"("cpu":{"some":{"avg10_ratio":0.5,"avg60_ratio":0.25,"avg300_ratio":0.0,"total_us":9}},)"
       R"("io":{"some":{"avg10_ratio":0.5,"avg60_ratio":0.25,"avg300_ratio":0.0,"total_us":9}},)"
       R"("memory":{"some":{"avg10_ratio":0.5,"avg60_ratio":0.25,"avg300_ratio":0.0,)"
       R"("total_us":9}}},)"
       R"("disk":{"sda":{"read_bytes":51200,"written_bytes":102400}},)"
       R"("net":{"eth0":{"received_bytes":1000,"sent_bytes":2000,"receive_errors":0,)"
       R"("send_errors":0}},)"
       R"("filesystem":{"/data":{"total_bytes":1000,"available_bytes":250,)"
       R"("available_ratio":0.25}},)"
       R"("thermal":{"thermal_zone0":{"type":"x86_pkg_temp","celsius":45.123}},)"
       R"("hwmon":{"hwmon0":{"name":"nct6775","readings":{"fan2":{"rpm":1200.0},)"
       R"("in0":{"volts":1.008},"power1":{"watts":2.5},)"
       R"("temp1":{"label":"SYSTIN","celsius":38.5}}}},)"
       R"("absent":["filesystem./gone"]})");
}

BOOST_AUTO_TEST_CASE(rates_are_of_the_time_between_two_samples) {
  write_all();
  auto reader = this->reader();
  BOOST_TEST(!reader.sample(5s).elapsed.has_value());
  write("proc/stat", "cpu  150 0 75 900 75 0 0 0 0 0\n");
  write("proc/diskstats", "8 0 sda 1 0 300 0 1 0 600 0 0 1500 0\n");
  write("proc/net/dev", "eth0: 3000 1 0 0 0 0 0 0 2500 1 0 0 0 0 0 0\n");
  const auto sample = reader.sample(2s);
  BOOST_TEST((sample.elapsed == 2s));
  BOOST_TEST((sample.cpu->busy_ratio == 0.375)); // 75 of 200 ticks.
  BOOST_TEST((sample.cpu->user_ratio == 0.25));
  BOOST_TEST((sample.cpu->system_ratio == 0.125));
  BOOST_TEST((sample.cpu->iowait_ratio == 0.125));
  BOOST_TEST((sample.cpu->steal_ratio == 0.0));
  BOOST_TEST((sample.disk->at("sda").read_bytes_per_s == 51'200.0));
  BOOST_TEST((sample.disk->at("sda").written_bytes_per_s == 102'400.0));
  BOOST_TEST((sample.disk->at("sda").busy_ratio == 0.25));
  BOOST_TEST((sample.net->at("eth0").received_bytes_per_s == 1'000.0));
  BOOST_TEST((sample.net->at("eth0").sent_bytes_per_s == 250.0));
}

BOOST_AUTO_TEST_CASE(counters_that_went_back_or_no_time_at_all_give_no_rates) {
  write_all();
  auto reader = this->reader();
  (void)reader.sample(0s);
  write("proc/stat", "cpu  1 0 1 1 1 0 0 0 0 0\n");
  write("proc/net/dev", "eth0: 1 1 0 0 0 0 0 0 2001 1 0 0 0 0 0 0\n"
                        "eth1: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
  const auto back = reader.sample(1s);
  BOOST_TEST(!back.cpu->busy_ratio.has_value());
  BOOST_TEST(!back.net->at("eth0").received_bytes_per_s.has_value());
  BOOST_TEST((back.net->at("eth0").sent_bytes_per_s == 1.0));
  BOOST_TEST(!back.net->at("eth1").sent_bytes_per_s.has_value()); // New: there is no before.
  write("proc/net/dev", "eth0: 9 1 0 0 0 0 0 0 9999 1 0 0 0 0 0 0\n");
  BOOST_TEST(!reader.sample(0s).net->at("eth0").sent_bytes_per_s.has_value());
}

BOOST_AUTO_TEST_CASE(a_counter_is_not_compared_across_a_sample_in_which_it_was_absent) {
  write_all();
  auto reader = this->reader({"cpu", "net"});
  (void)reader.sample(0s);
  fs::remove(root / "proc/stat");
  fs::remove(root / "proc/net/dev");
  BOOST_TEST(text_of(reader.sample(1s).absent) == "cpu filesystem./gone net");
  write("proc/stat", "cpu  900 0 50 8000 50 0 0 0 0 0\n");
  write("proc/net/dev", "eth0: 9000 1 0 0 0 0 0 0 9000 1 0 0 0 0 0 0\n");
  const auto sample = reader.sample(1s);
  BOOST_TEST(!sample.cpu->busy_ratio.has_value());
  BOOST_TEST(!sample.net->at("eth0").sent_bytes_per_s.has_value());
}

BOOST_AUTO_TEST_CASE(a_machine_without_anything_has_everything_absent) {
  const auto sample = reader().sample(1s);
  BOOST_TEST(text_of(sample.absent)
             == "cpu disk filesystem./gone hwmon load memory net pressure thermal");
  BOOST_TEST(to_json(sample)
             == R"({"filesystem":{"/data":{"total_bytes":1000,"available_bytes":250,)"
                R"("available_ratio":0.25}},"absent":["cpu","disk","filesystem./gone","hwmon",)"
                R"("load","memory","net","pressure","thermal"]})");
}

BOOST_AUTO_TEST_CASE(what_is_partly_there_is_partly_absent) {
  write_all();
  fs::remove(root / "proc/pressure/io");
  write("proc/meminfo", "MemTotal: 1000 kB\n");
  write("sys/class/thermal/thermal_zone1/temp", "-300000\n"); // Colder than possible.
  write("sys/class/thermal/thermal_zone2/type", "no reading\n");
  write("sys/class/hwmon/hwmon1/name", "nothing to read\n");
  write("sys/class/hwmon/hwmon0/temp9_input", "not a number\n");
  const auto sample = reader().sample(1s);
  BOOST_TEST(text_of(sample.absent) == "filesystem./gone memory.available_bytes pressure.io");
  BOOST_TEST(sample.thermal->size() == 1u);
  BOOST_TEST(sample.hwmon->size() == 1u);
  BOOST_TEST(sample.hwmon->at("hwmon0").readings.size() == 4u);
}

BOOST_AUTO_TEST_CASE(only_what_is_asked_for_is_read) {
  write_all();
  const auto sample = reader({"load"}).sample(1s);
  BOOST_TEST(sample.load.has_value());
  BOOST_TEST(!sample.cpu.has_value());
  BOOST_TEST(text_of(sample.absent) == "filesystem./gone");
  BOOST_TEST(text_of(reader({"weather"}).sample(1s).absent) == "filesystem./gone weather");
}

BOOST_AUTO_TEST_CASE(hostile_files_are_absent_and_do_not_block) {
  write_all();
  write("proc/stat", std::string(max_proc_file + 1, '1'));
  fs::remove(root / "proc/meminfo");
  fs::create_directory(root / "proc/meminfo");
  fs::remove(root / "proc/loadavg");
  BOOST_REQUIRE(::mkfifo((root / "proc/loadavg").c_str(), 0600) == 0);
  write("proc/diskstats", std::string("\0\xFF\n", 3));
  fs::remove(root / "proc/net/dev");
  fs::create_symlink(root / "proc/net/dev", root / "proc/net/dev");
  write("sys/class/hwmon/hwmon0/name", "\xFF\x1B[2J\n");
  const auto sample = reader().sample(1s);
  BOOST_TEST(text_of(sample.absent) == "cpu disk filesystem./gone load memory net");
  BOOST_TEST(check_json(to_json(sample)).has_value());
}

BOOST_AUTO_TEST_CASE(a_file_system_that_says_impossible_things_is_absent) {
  host_telemetry_reader reader{{.sources = {}, .mounts = {"/"}, .measure = [](const std::string&) {
                                  return std::optional{filesystem_size{10, 11}};
                                }}};
  BOOST_TEST(text_of(reader.sample(1s).absent) == "filesystem./");
}

BOOST_AUTO_TEST_CASE(this_machine_can_be_read) {
  host_telemetry_reader reader{{}};
  const auto sample = reader.sample(1s);
  BOOST_TEST(check_json(to_json(sample)).has_value());
  const auto root = measure_filesystem("/");
  BOOST_REQUIRE(root.has_value());
  BOOST_TEST(root->available_bytes <= root->total_bytes);
  BOOST_TEST(!measure_filesystem("/no such folder").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
