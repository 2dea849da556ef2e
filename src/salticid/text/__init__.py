"""Words: tokens, stop words, stems, and how alike two bags of them are."""
