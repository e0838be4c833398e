"""Archive a study, take it out of the archive, and delete one that nobody has answered."""
