"""A recipe carried out: from text to a trained, averaged, scored model in one folder."""
