"""Every method trained on real datasets with the small encoder, and compared."""
