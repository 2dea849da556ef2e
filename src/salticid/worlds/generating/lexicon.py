"""The words of a generated web: coined words, word lists and the topic tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt

import numpy as np

from salticid.model import Ints
from salticid.tables import Texts

# Words nobody has heard of, that can be said aloud: a number in, a word out, no number's word twice.


@dataclass(frozen=True)
class Tongue:
    """How the words of a language sound: syllables are an onset and a vowel, and a coda ends some words."""

    onsets: str
    vowels: str
    codas: str

    def words(self, first: int, count: int) -> Iterator[str]:
        """Words number `first` and on: those of two syllables, well shuffled, then those of three, of four.

        >>> list(HOME.words(0, 4))
        ['baba', 'dravend', 'nedot', 'bidram']
        """
        syllables = [onset + vowel for onset in self.onsets.split() for vowel in self.vowels]
        codas, size = ["", *self.codas.split()], len(syllables)
        length, begin, many = 2, 0, size * size * len(codas)
        for number in range(first, first + count):
            while number >= begin + many:
                length, begin, many = length + 1, begin + many, many * size
            rest, coda = divmod((number - begin) * _SHUFFLE % many, len(codas))
            sounds = []
            for _ in range(length):
                rest, syllable = divmod(rest, size)
                sounds.append(syllables[syllable])
            yield "".join(sounds) + codas[coda]


_SHUFFLE = 1_000_000_007
"""A prime, so that multiplying by it shuffles any smaller range."""

HOME = Tongue("b c d f g h l m n p r s t v br cl dr gl pl sh sp st th tr", "aeiou", "n r l s m t nd")
ABROAD = (
    Tongue("b d f g h k l m n r s t w z br kl pf sch", "aeiouäöü", "en er t ß ng"),
    Tongue("b c ch d f g j l m n p qu r s t v", "aeiouéèô", "s x r lle nt"),
    Tongue("b c d g h j l ll m n ñ p r s t y z", "aeiouáíó", "s n r l ndo"),
)
"""The languages of other countries' pages."""


# The words of the generated web: a dozen topics under four parents, and everyday English around them.

_FIELD_WORDS = {
    "sport": "club season training team weather safety coach beginner contest speed champion record",
    "science": "research study theory observation species sample survey measure evidence data specimen",
    "arts": "studio craft workshop design colour exhibition texture artist pattern gallery tool handmade",
    "history": "century museum archive heritage ancient restoration document era founded king ruin war",
}


@dataclass(frozen=True)
class TopicVocabulary:
    """A leaf of the topic tree: any noun of it reads well after its subject; common words come first.

    >>> balloons = TOPICS[0]
    >>> balloons.label, balloons.leaf, balloons.subject, balloons.nouns[0]
    ('sport.ballooning', 'ballooning', 'hot air balloon', 'burners')
    >>> {"burners", "club"} <= set(balloons.words)    # its own words, and those it shares with its siblings
    True
    """

    label: str
    leaf: str
    subject: str
    nouns: tuple[str, ...]
    words: tuple[str, ...]


def _topic(label: str, subject: str, names: str, others: str) -> TopicVocabulary:
    parent, leaf = label.split(".")
    nouns, field_words = names.split(), _FIELD_WORDS[parent].split()
    own = [word for pair in zip(nouns, others.split(), strict=True) for word in pair]
    words = [leaf, *subject.split(), *own[:12], *field_words[:6], *own[12:], *field_words[6:]]
    return TopicVocabulary(label, leaf, subject, tuple(nouns), tuple(dict.fromkeys(words)))


# Siblings stand together, three by three. Some words serve two topics, as words do: granite, wicker, plate.
TOPICS = (
    _topic("sport.ballooning", "hot air balloon",
           "burners envelopes baskets pilots flights landings tethers festivals crews passengers airships "
           "altimeters propane vents parachutes launches winds licences fabrics",
           "inflate wicker dawn altitude float drift aloft gas helium ripstop airborne nylon buoyant lift "
           "ballast thermal descent aeronaut skyward"),
    _topic("sport.climbing", "rock climbing",
           "ropes harnesses carabiners belays crags boulders holds routes grades anchors cams summits ledges "
           "chalk helmets knots slings abseils overhangs",
           "granite ascend belay grip crux vertical alpine lead bolt pitch quickdraw crack limestone leader "
           "rappel mountaineer chimney traverse steep"),
    _topic("sport.rowing", "river rowing",
           "oars crews sculls regattas blades coxswains boats strokes slides riggers boathouses eights pairs "
           "ergometers lanes catches heats hulls towpaths",
           "scull row paddle cox lake feather upstream sweep bow sprint starboard rhythm splash gate finish "
           "carbon lightweight oarsman buoy"),
    _topic("science.astronomy", "amateur astronomy",
           "telescopes stars galaxies planets nebulae comets eyepieces eclipses meteors orbits observatories "
           "moons mirrors asteroids supernovae spectra charts lenses quasars",
           "sky lunar solar orbit celestial jupiter saturn cosmic bright aperture magnitude dark orion "
           "redshift parallax twilight infrared dwarf transit"),
    _topic("science.botany", "wild flower",
           "petals stamens leaves seeds roots stems meadows orchids mosses ferns pollinators habitats buds "
           "bulbs grasses fruits lichens hybrids saplings",
           "bloom botanical pollen plant genus woodland shade evergreen soil perennial stigma climate fungi "
           "chlorophyll spore germinate herb native shrub"),
    _topic("science.geology", "field geology",
           "rocks minerals fossils strata faults crystals volcanoes glaciers sediments quarries outcrops "
           "maps earthquakes basins folds lavas hammers cliffs boulders",
           "basalt granite limestone quartz tectonic erosion crust magma jurassic layer igneous shale mantle "
           "seismic metamorphic feldspar plate mica ore"),
    _topic("arts.pottery", "studio pottery",
           "kilns glazes bowls wheels clays teapots vases mugs firings slips handles plates jugs tiles "
           "moulds pots oxides lids figurines",
           "clay throw ceramic stoneware glaze potter fired earthenware coil celadon kiln spin wedge cobalt "
           "trim raku terracotta vessel burnish"),
    _topic("arts.weaving", "hand weaving",
           "looms shuttles yarns tapestries threads baskets rugs dyes shawls fibres bobbins fabrics heddles "
           "warps wefts spindles blankets twills treadles",
           "weave wool warp linen weft cotton textile silk spun woven indigo wicker knot fringe twist tartan "
           "willow weaver flax"),
    _topic("arts.printmaking", "relief print",
           "presses inks etchings woodcuts linocuts lithographs plates rollers papers gouges editions proofs "
           "engravings blocks stencils burins aquatints monotypes screens",
           "ink print carve etch copper relief intaglio plate zinc lino engrave acid baren numbered block "
           "mezzotint drypoint bevel layer"),
    _topic("history.railways", "steam railway",
           "locomotives signals stations tracks carriages tunnels viaducts timetables boilers wagons bridges "
           "gauges engines sleepers junctions platforms sidings tickets depots",
           "rail steam train railway coal passenger freight branch express line whistle gradient narrow "
           "brake turntable ballast timber shunting fireman"),
    _topic("history.castles", "medieval castle",
           "towers moats walls keeps gates drawbridges dungeons sieges knights garrisons battlements chapels "
           "halls barons ditches archers turrets ramparts catapults",
           "castle norman siege stone tower feudal lord bailey motte fortified portcullis gatehouse royal "
           "besieged sword noble heraldry vaulted courtyard"),
    _topic("history.shipwrecks", "sunken ship",
           "wrecks anchors hulls cargoes divers masts cannons reefs storms salvages sailors galleons "
           "lighthouses treasures decks lifeboats voyages captains keels",
           "wreck sea vessel sank ocean dive coral amphora underwater cargo sonar seabed harbour merchant "
           "sail aground timber gale drowned"),
)  # fmt: skip

_EVERYDAY = """\
the of and to a in is it for that on with as are was by this be at from or have an they which not we you can
one all there their more has but when will some if other about out were many time up into two your new so them
these would may most than only over used after also its first way our people made year very such what between
well where each how good long little through before day must because even often any work back own same great
another while small part place still under last never three around both find without found large again take
set home world old water here off end come always number side point house name next few case hand high keep
page see give began left late room away week several life read change open need help far night kind almost
above early form state think best course road group able book local show start story together town idea car
country city area free family look money once order though second question quite air rather until usually list
letter morning school member visit table simple public price short full hour clear today news plan power
reason common problem black white red green answer buy service office street minute child body paper music
learn write talk walk wait bring build cut turn move live stand follow stop leave meet pay send grow win lose
history art science sport figure level result system value type month door garden window village market north
south summer winter kitchen coffee holiday business company report meeting computer telephone film"""
COMMON = tuple(_EVERYDAY.split())

TITLES = (
    "{subject} {a} and {b}", "{a} & {b}: a short guide", "notes on {a} and {b}", "choosing {subject} {a}",
    "{subject} {a} for beginners", "{a}, {b} and the {leaf} club", "the story of {subject} {a}",
)  # fmt: skip
PLAIN_TITLES = ("News and updates", "About this page", "Notes, part {n}", "Page {n}", "Questions & answers")
PLAIN_ANCHORS = ("click here", "more", "this page", "read on", "link", "here")
SITE_KINDS = ("notes", "club", "archive", "journal", "world", "society", "corner", "guide", "online", "pages")
MIXED_SITES = ("harbour", "sunday", "northern", "village", "lantern", "everyday", "attic", "riverside")


# The topic tree: two dozen fields, each with sixteen subjects; a small web takes a few of each.

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
        topics = min(MOST, 25 * isqrt(max(pages, 5_000) // 5) // 31) if pages >= 5_000 else min(25, max(2, pages // 60))
        wide = max(2, isqrt(topics), -(-topics // 16))
        fields = tuple(_FIELDS)[:wide]
        subjects = [_FIELDS[field].split() for field in fields]
        return cls(fields, tuple(subjects[topic % wide][topic // wide] for topic in range(topics)))

    @property
    def labels(self) -> list[str]:
        """Each topic's path in the tree."""
        return [f"{self.fields[topic % len(self.fields)]}.{leaf}" for topic, leaf in enumerate(self.leaves)]


OWN, SHARED, KERNEL = 400, 300, 5_000
"""Words of a topic, words that the topics of a field share, words everybody uses."""
TAIL_SHIFT = 4_000
_RARE_WORDS_A_PAGE = 18
_MONTHS = "january february march april may june july august september october november december"
_SENTENCES = (
    "the of and to a in is it for on this notes guide short story links choosing beginners club updates about page "
    "questions answers news home click here more read link calendar next previous month nothing planned section "
    "members only archive contents"
)
_FRAME = "share"
"""Words of menus alone; behind all others, so that webs without menus are as they were."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The table of words, and each region's ids by rank: `own[topic]`, `shared[field]`, `foreign[tongue - 1]`."""

    words: Texts
    common: Ints
    own: Ints
    shared: Ints
    kernel: Ints
    tail: Ints
    foreign: Ints
    kinds: Ints
    months: Ints

    @classmethod
    def of(cls, tree: Tree, pages: int) -> Lexicon:
        """The vocabulary grows as the square root of the text (Heaps' law)."""
        words = Texts()
        coins = 0

        def coin(count: int) -> list[str]:
            nonlocal coins
            coins += count
            return list(HOME.words(coins - count, count))

        def add(texts: list[str]) -> Ints:
            return np.array(words.intern_all([text.encode() for text in texts]), np.int32)

        add(_SENTENCES.split())
        words_of = {topic.leaf: topic.words for topic in TOPICS}
        common, kernel = add(list(COMMON)), add(coin(KERNEL))
        shared = [add([field, *coin(SHARED - 1)]) for field in tree.fields]
        own = []
        for leaf in tree.leaves:
            real = list(dict.fromkeys([leaf, *words_of.get(leaf, ())]))
            own.append(add([*real, *coin(OWN - len(real))]))
        tail = add(coin(3 * isqrt(TAIL_SHIFT * _RARE_WORDS_A_PAGE * max(pages, 100))))
        foreign = [add(list(tongue.words(0, min(5_000, 1_000 + pages)))) for tongue in ABROAD]
        kinds, months = add(list(SITE_KINDS)), add(_MONTHS.split())
        add(_FRAME.split())
        return cls(words, common, np.stack(own), np.stack(shared), kernel, tail, np.stack(foreign), kinds, months)

    def say(self, text: str) -> list[int]:
        """The ids of words that are known to be here."""
        return [self.words.find(word) for word in text.split()]
