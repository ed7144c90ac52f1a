#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <map>
#include <string>

#include "tools/bench/benchmark.hpp"
#include "tools/bench/carrier.hpp"

int main(int argc, char** argv) {
  using namespace slime::bench;
  CLI::App app("Measures parts of SLIME beside what they are built on and what they replace");
  app.require_subcommand(1);
  Options options;
  std::map<const CLI::App*, const Benchmark*> chosen;
  for (const Benchmark& benchmark : benchmarks()) {
    auto* command = app.add_subcommand(std::string(benchmark.name), std::string(benchmark.summary));
    command->add_flag("--json", options.json, "end with one line of JSON");
    command->add_flag("--quick", options.quick, "a few seconds only; the numbers mean little");
    command->add_option("--only", options.only, "cases whose name contains this");
    command
        ->add_option("--repetitions", options.repetitions,
                     "how often each is measured (default: what tells it from noise)")
        ->check(CLI::Range(1, 1000));
    chosen[command] = &benchmark;
  }
  std::string carrier;
  std::string endpoint;
  // The other process of a measurement: no name of its own in the help.
  auto* serve = app.add_subcommand("serve", "")->group("");
  serve->add_option("carrier", carrier)->required();
  serve->add_option("endpoint", endpoint)->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& wrong) {
    std::cerr << "slime-bench: " << wrong.what() << " (slime-bench --help tells what there is)\n";
    return 2;
  }
  try {
    if (serve->parsed()) return carrier_named(carrier).serve(endpoint);
    return chosen.at(app.get_subcommands().front())->run(options);
  } catch (const std::exception& e) {
    std::cerr << "slime-bench: " << e.what() << '\n';
    return 1;
  }
}
