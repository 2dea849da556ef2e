"""What a round of watching brought, for people and programs: a page that opens offline, JSON, and an Atom feed."""
