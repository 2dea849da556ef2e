"""The words of the generated web: a dozen topics under four parents, and everyday English around them."""

from dataclasses import dataclass

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
