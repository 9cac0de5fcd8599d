// Samples a model with Stan's NUTS, with the defaults of CmdStan: diagonal metric, target acceptance 0.8.
//
//   MODEL DATA SEED CHAINS WARMUP DRAWS OUT
//
// OUT gets the draws as float64 [chain, draw, column], and OUT.names the columns. The chains run one after
// another, in one thread. Linked with the program that stanc makes of a model.
#include <stan/io/empty_var_context.hpp>
#include <stan/io/json/json_data.hpp>
#include <stan/model/model_header.hpp>
#include <stan/services/sample/hmc_nuts_diag_e_adapt.hpp>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

stan::model::model_base& new_model(stan::io::var_context&, unsigned int, std::ostream*);

struct Collector : stan::callbacks::writer {
  std::vector<std::string> names;
  std::vector<double> values;
  using stan::callbacks::writer::operator();
  void operator()(const std::vector<std::string>& columns) override { names = columns; }
  void operator()(const std::vector<double>& draw) override { values.insert(values.end(), draw.begin(), draw.end()); }
};

int main(int argc, char** argv) try {
  if (argc != 7) throw std::runtime_error("usage: MODEL DATA SEED CHAINS WARMUP DRAWS OUT");
  const unsigned seed = std::stoul(argv[2]);
  const int chains = std::stoi(argv[3]), warmup = std::stoi(argv[4]), draws = std::stoi(argv[5]);
  std::ifstream file(argv[1]);
  if (!file) throw std::runtime_error(std::string("cannot read ") + argv[1]);
  stan::json::json_data data(file);
  stan::io::empty_var_context init;
  auto& model = new_model(data, seed, &std::cerr);
  std::ofstream out(argv[6], std::ios::binary), names(std::string(argv[6]) + ".names");
  for (int chain = 1; chain <= chains; ++chain) {
    Collector collector;
    stan::callbacks::interrupt interrupt;
    stan::callbacks::logger logger;
    stan::callbacks::writer unused;
    const int failed = stan::services::sample::hmc_nuts_diag_e_adapt(
        model, init, seed, chain, /*init_radius*/ 2, warmup, draws, /*thin*/ 1, /*save_warmup*/ false, /*refresh*/ 0,
        /*stepsize*/ 1, /*jitter*/ 0, /*max_depth*/ 10, /*delta*/ 0.8, /*gamma*/ 0.05, /*kappa*/ 0.75, /*t0*/ 10,
        /*init_buffer*/ 75, /*term_buffer*/ 50, /*window*/ 25, interrupt, logger, unused, collector, unused);
    if (failed) throw std::runtime_error("chain " + std::to_string(chain) + " failed");
    out.write(reinterpret_cast<const char*>(collector.values.data()), collector.values.size() * sizeof(double));
    if (chain == 1)
      for (auto& name : collector.names) names << name << "\n";
  }
} catch (const std::exception& e) {
  std::cerr << e.what() << std::endl;
  return 1;
}
