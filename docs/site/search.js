// The search: sections that have all words of a query, best first. An entry of siteIndex is
// [address, title of the page, heading of the section, text]. As old a JavaScript as duktape's.
function findSections(index, query, most) {
  var words = query.toLowerCase().split(/\s+/).filter(function (word) { return word !== ""; });
  var found = [];
  if (words.length === 0) return found;
  index.forEach(function (entry, place) {
    var title = entry[1].toLowerCase(), heading = entry[2].toLowerCase();
    var text = entry[3].toLowerCase(), score = 0;
    for (var i = 0; i < words.length; ++i) {
      var inHeading = heading.indexOf(words[i]) !== -1, inTitle = title.indexOf(words[i]) !== -1;
      if (!inHeading && !inTitle && text.indexOf(words[i]) === -1) return;
      // The section above the first heading stands for the page.
      score += (inHeading ? 4 : 0) + (inTitle ? (heading === "" ? 5 : 1) : 0) + 1;
    }
    found.push({ entry: entry, score: score, place: place });
  });
  found.sort(function (a, b) { return b.score - a.score || a.place - b.place; });
  return found.slice(0, most).map(function (one) { return one.entry; });
}

function showFound() {
  var list = document.getElementById("found"), top = document.body.getAttribute("data-top");
  var query = document.getElementById("search").value;
  var found = findSections(siteIndex, query, 12);
  list.textContent = "";
  found.forEach(function (entry) {
    var item = document.createElement("li"), link = document.createElement("a");
    link.href = top + entry[0];
    link.textContent = entry[2] === "" ? entry[1] : entry[1] + ": " + entry[2];
    item.appendChild(link);
    list.appendChild(item);
  });
  if (found.length === 0) list.textContent = "No section has all of these words.";
  list.hidden = query.trim() === "";
}

if (typeof document !== "undefined") {
  document.getElementById("search").addEventListener("input", showFound);
  document.addEventListener("click", function (event) {
    if (!event.target.closest("header")) document.getElementById("found").hidden = true;
  });
  // Beside the text there is room for the list of pages.
  if (window.matchMedia("(min-width: 60rem)").matches) document.querySelector("nav details").open = true;
}
