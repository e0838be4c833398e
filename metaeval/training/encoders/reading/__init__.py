"""The torch modules that turn texts into vectors. Needs torch and transformers (requirements-training.txt)."""
