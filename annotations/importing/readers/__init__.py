"""One file a format. Each registers its readers in `annotations.importing.formats`."""
