"""What is below the models: fields, constraints, spellings, where requests come from, databases that do not answer."""
