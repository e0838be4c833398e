"""Put a study away, take it out again, and delete what nobody has answered."""
