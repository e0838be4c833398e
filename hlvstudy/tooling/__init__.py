"""What `make` calls. Only the standard library: it must run before anything is installed."""
