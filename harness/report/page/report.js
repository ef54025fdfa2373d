// Keys on the page of a verdict: from one thing to look at to the next.

const places = [...document.querySelectorAll('.next, .failure, .finding')];
for (const place of places) place.tabIndex = -1;
let current = -1;

function go(by, wanted = () => true) {
  for (let at = current + by; at >= 0 && at < places.length; at += by) {
    if (!wanted(places[at])) continue;
    current = at;
    places[at].focus({preventScroll: true});
    places[at].scrollIntoView({block: 'nearest'});
    return;
  }
}

const isMistake = (place) => place.matches('.failure, .finding:not(.waiting, .better)');
document.querySelector('.top').append(
    ...pageKeys({j: () => go(1), k: () => go(-1), n: () => go(1, isMistake), p: () => go(-1, isMistake)}));
