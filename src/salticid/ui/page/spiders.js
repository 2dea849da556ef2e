// The population of a crawl, as far as its events and visits tell.

class Spider {
  constructor(number, at) {
    this.number = number;
    this.parent = null;
    this.children = [];
    this.born = at;
    this.died = null;
    this.cause = "";
    this.energy = [];
    this.keywords = [];
    this.pages = 0;
    this.path = [];
  }

  get alive() {
    return this.died == null;
  }
}

export class Spiders {
  constructor() {
    this.all = new Map();
    this.seen = -1;
    this.alive = 0;
    this.births = 0;
    this.deaths = 0;
    this.counts = [];
    this.founding = new Set();
  }

  of(number, at = 0) {
    let spider = this.all.get(number);
    if (!spider) this.all.set(number, (spider = new Spider(number, at)));
    return spider;
  }

  visited(visit) {
    const spider = this.of(visit.agent, visit.at);
    spider.path.push(visit.step);
    if (visit.outcome === "ok" && !visit.revisit) spider.pages += 1;
  }

  /** Take a batch of the log's events; those that came before are passed over. */
  hear(events) {
    const news = events.filter((event) => event.seq > this.seen);
    for (const event of news) if (event.agent != null) this.happened(event);
    this.seen = news.at(-1)?.seq ?? this.seen;
  }

  happened(event) {
    const spider = this.of(event.agent, event.at);
    if (event.keywords != null) spider.keywords = String(event.keywords).split(" ").filter(Boolean);
    if (event.name === "born") this.enter(spider, event);
    if (event.name === "died") this.leave(spider, event);
    if (event.energy != null) spider.energy.push([event.at, event.energy]);
  }

  enter(spider, event) {
    spider.born = event.at;
    if (event.parent != null && event.parent !== spider.number && this.all.has(event.parent)) {
      spider.parent = event.parent;
      this.of(event.parent).children.push(spider.number);
    } else {
      for (const word of spider.keywords) this.founding.add(word);
    }
    this.alive += 1;
    this.births += 1;
    this.counts.push([event.at, this.alive]);
  }

  leave(spider, event) {
    spider.died = event.at;
    spider.cause = event.cause ?? "";
    this.alive -= 1;
    this.deaths += 1;
    this.counts.push([event.at, this.alive]);
  }
}
