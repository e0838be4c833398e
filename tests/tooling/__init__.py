"""What `make` calls. It imports only the standard library, because it must run before anything is installed."""
