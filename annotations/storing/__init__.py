"""What storing needs below the models: fields, spellings, and databases that do not answer."""
