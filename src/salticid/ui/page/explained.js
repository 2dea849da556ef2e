// Words that a person may stumble over, each with its sentence or two.

export const EXPLAINED = {
  "pages to read":
    "The hunt ends when so many pages have been read. You can stop earlier, or go on with more.",
  "the language":
    "Pages in other languages do not count, and links to them come last. If you choose none, links to other languages " +
    "than that of your words and start points come last.",
  "the score":
    "How well a page fits by now, from 0 to 1. First it is the line from which on the hunt calls a page on topic. " +
    "Pages below the number you set here are kept but not shown.",
  "on topic lately":
    "Of the last hundred pages, the share that fits your words well enough.",
  "this estimate":
    "Judged by how the hunt went so far, if it goes on in the same way. " +
    "The truth lies between the numbers in brackets nineteen times out of twenty.",
  "what could not be read":
    "Links that brought no page, by site and with the reason. A site that fails for a while is asked again later.",
  "right now":
    "Which pages are being fetched, and which links come next. A site is never asked faster than it allows.",
  "the harvest":
    "The steeper the curve, the more of what the spiders bring home fits your words.",
  "a spider":
    "One hunter of many. It lives on the good pages it finds: with enough energy it has young, without any it dies.",
  energy:
    "Good pages give energy, every step costs some. Enough of it, and the spider has young; none, and it dies.",
  "a coloured word":
    "The first spiders look for your words. Their young add words of good pages; those are coloured.",
  comparing:
    "Choose two hunts below to see their harvests in one picture.",
};
