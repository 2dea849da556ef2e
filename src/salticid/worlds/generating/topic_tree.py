"""The topic tree: two dozen fields, each with sixteen subjects; a small web takes a few of each."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

_FIELDS = {
    "sport": "climbing rowing ballooning fencing cycling archery sailing skiing boxing judo chess tennis rugby "
    "swimming golf cricket",
    "science": "astronomy botany geology chemistry genetics physics zoology optics ecology statistics acoustics "
    "meteorology anatomy mycology virology seismology",
    "arts": "pottery weaving printmaking sculpture painting calligraphy glassblowing mosaic drawing embroidery "
    "bookbinding origami woodcarving lacquer enamel goldsmithing",
    "history": "railways castles shipwrecks pharaohs vikings crusades guilds explorers aqueducts samurai pirates "
    "cartography monasteries revolutions feudalism telegraphy",
    "food": "bread cheese wine chocolate pasta soup tea beer spices honey sushi sausages mushrooms olives preserves "
    "vinegar",
    "health": "nutrition dentistry cardiology allergies physiotherapy sleep vaccines diabetes asthma surgery pharmacy "
    "optometry nursing epilepsy migraine rehabilitation",
    "computing": "compilers databases networking cryptography robotics graphics spreadsheets browsers backups "
    "hypertext emulation firmware scheduling typography speech debugging",
    "music": "violin piano opera jazz folk guitar drums choir organ flute synthesizer blues trumpet accordion harp "
    "lute",
    "nature": "birds butterflies whales beetles spiders wolves bats frogs snakes corals bees owls otters salmon "
    "tortoises foxes",
    "travel": "islands hiking camping pilgrimage cruises hostels safari caravans lighthouses deserts volcanoes ferries "
    "caves glaciers harbours passes",
    "home": "gardening carpentry plumbing upholstery roofing heating beekeeping composting wallpaper masonry lighting "
    "tiling aquariums sewing furniture locks",
    "business": "banking insurance accounting shipping retail mining forestry fisheries franchising auctions "
    "logistics advertising patents pensions tourism recruitment",
    "society": "elections charity unions parliaments migration censuses courts prisons genealogy heraldry etiquette "
    "festivals weddings funerals volunteering citizenship",
    "transport": "bicycles trams bridges tunnels canals aviation buses motorcycles trucks airports monorails tugboats "
    "funiculars roundabouts signals helicopters",
    "education": "kindergartens universities apprenticeships libraries examinations literacy scholarships tutoring "
    "curricula playgrounds laboratories dictionaries handwriting mathematics grammar debating",
    "religion": "monks cathedrals pilgrims hymns temples mosques synagogues scriptures icons saints meditation rituals "
    "relics sermons missions shrines",
    "language": "phonetics translation etymology dialects syntax alphabets proverbs crosswords lexicography slang "
    "esperanto rhetoric hieroglyphs braille toponyms idioms",
    "literature": "poetry novels drama fables essays ballads sagas satire detective memoirs haiku folklore epics "
    "limericks biography criticism",
    "technology": "batteries turbines lasers sensors semiconductors printers lenses radar magnets pumps engines "
    "clocks cameras bearings welding satellites",
    "law": "contracts copyright inheritance taxation trademarks arbitration custody notaries tenancy bankruptcy "
    "evidence juries extradition privacy torts zoning",
    "games": "backgammon dominoes poker jigsaws puzzles dice marbles bridge checkers roleplaying pinball arcades "
    "darts billiards mahjong solitaire",
    "weather": "storms tornadoes monsoons droughts fog lightning hail rainbows floods blizzards hurricanes barometers "
    "clouds frost tides avalanches",
    "clothing": "shoes hats knitting lace leather denim kimonos buttons gloves tailoring jewellery perfume corsets "
    "umbrellas costumes tweed",
    "collecting": "stamps coins medals postcards minerals fossils autographs dolls comics maps toys clockwork "
    "matchboxes thimbles banknotes badges",
}
MOST = 384


@dataclass(frozen=True)
class Tree:
    """Some of the subjects; topic `t` is under field `t % fields`.

    >>> tree = Tree.for_pages(5_000)
    >>> len(tree.leaves), tree.fields[:2], tree.labels[:2], tree.labels[5]
    (25, ('sport', 'science'), ['sport.climbing', 'science.astronomy'], 'sport.rowing')
    """

    fields: tuple[str, ...]
    leaves: tuple[str, ...]

    @classmethod
    def for_pages(cls, pages: int) -> Tree:
        """The tree of a web: 25 topics at 5,000 pages, and as the square root of its pages from there on."""
        topics = (
            min(MOST, 25 * isqrt(max(pages, 5_000) // 5) // 31)
            if pages >= 5_000
            else min(25, max(2, pages // 60))
        )
        wide = max(2, isqrt(topics), -(-topics // 16))
        fields = tuple(_FIELDS)[:wide]
        subjects = [_FIELDS[field].split() for field in fields]
        return cls(fields, tuple(subjects[topic % wide][topic // wide] for topic in range(topics)))

    @property
    def labels(self) -> list[str]:
        """Each topic's path in the tree."""
        return [f"{self.fields[topic % len(self.fields)]}.{leaf}" for topic, leaf in enumerate(self.leaves)]
