"""Do this project's computations keep their promises? Simulations with a known truth, and costs on real data."""
