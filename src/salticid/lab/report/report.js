// A click on a column's head sorts its table; without this script the tables are just as readable.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    let way = head.dataset.first === "up" ? -1 : 1;
    button.addEventListener("click", () => {
      way = -way;
      const key = (row) => row.cells[column].dataset.v ?? "";
      const compare = (a, b) => {
        if (key(a) === "" || key(b) === "") return (key(a) === "") - (key(b) === "");
        const apart = key(a) - key(b);
        return way * (Number.isNaN(apart) ? key(a).localeCompare(key(b)) : apart);
      };
      body.append(...[...body.rows].sort(compare));
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
    });
  });
}
