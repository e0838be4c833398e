"""`hlvstudy doctor`: every wrong setting in a sentence with its remedy, all at once rather than the first only."""
