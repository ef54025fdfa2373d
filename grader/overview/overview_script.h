// Sorting and filtering of the tables. The page has the same content without it.
#pragma once

namespace lanewise {

// Rows are moved, never written: no text on the page becomes markup. The policy lets only this script run.
inline constexpr const char* kOverviewScript = R"js(
'use strict';
for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.tBodies[0];
  const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (!head.textContent) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      // Numbers begin with the largest, words with A; a second click turns the order round.
      const isNumber = head.classList.contains('number');
      const before = head.getAttribute('aria-sort');
      const isDescending = before ? before === 'ascending' : isNumber;
      const order = isNumber ? (a, b) => Number(a) - Number(b) : (a, b) => a.localeCompare(b);
      const rows = [...body.rows].map((row) => [value(row, column), row]);
      rows.sort(([a], [b]) => (isDescending ? order(b, a) : order(a, b)));
      body.append(...rows.map(([, row]) => row));
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
    });
  });
  if (!table.dataset.filter) continue;
  const field = document.createElement('input');
  field.type = 'search';
  field.placeholder = 'Filter by any word';
  field.setAttribute('aria-label', table.dataset.filter);
  field.addEventListener('input', () => {
    const wanted = field.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  table.closest('.wide').before(field);
}
)js";

}  // namespace lanewise
