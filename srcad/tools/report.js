// Marks the lines of both texts that belong to one line of the function, and tells what is kept for it.
(() => {
  const lists = [...document.querySelectorAll(".code")];
  const lines = [...document.querySelectorAll(".code li[data-line]")];
  const told = document.getElementById("told");
  const notes = JSON.parse(document.getElementById("notes").textContent);
  let held = null;

  function mark(number) {
    for (const each of lines) {
      const belongs = each.dataset.line === number;
      each.classList.toggle("marked", belongs);
      each.setAttribute("aria-selected", belongs ? "true" : "false");
    }
  }

  function tell(number) {
    const found = notes[number] || [];
    const others = lines.filter((each) => each.dataset.line === number && each.closest("#adjoint")).length;
    told.textContent = "";
    const head = document.createElement("p");
    head.textContent = `Line ${number}: ${others} ${others === 1 ? "line" : "lines"} of the generated code belong to it.`;
    const list = document.createElement("ul");
    for (const note of found) {
      const item = document.createElement("li");
      item.textContent = note;
      list.append(item);
    }
    told.append(head, list);
  }

  function choose(line, scroll) {
    held = line.dataset.line;
    for (const each of line.parentElement.querySelectorAll("li[tabindex='0']")) each.tabIndex = -1;
    line.tabIndex = 0;
    mark(held);
    tell(held);
    if (!scroll) return;
    for (const list of lists) {
      if (list === line.parentElement) continue;
      const first = list.querySelector(`li[data-line="${held}"]`);
      if (first) list.scrollTop += first.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 3;
    }
  }

  for (const line of lines) {
    line.addEventListener("mouseenter", () => mark(line.dataset.line));
    line.addEventListener("mouseleave", () => mark(held));
    line.addEventListener("click", () => { line.focus(); choose(line, true); });
    line.addEventListener("focus", () => choose(line, true));
  }
  for (const list of lists) {
    list.addEventListener("keydown", (event) => {
      const own = [...list.querySelectorAll("li[data-line]")];
      const at = own.indexOf(document.activeElement);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: own.length - 1 }[event.key];
      if (event.key === "Escape") { held = null; mark(null); }
      if (to === undefined || at < 0) return;
      event.preventDefault();
      const next = own[Math.max(0, Math.min(own.length - 1, to))];
      next.focus();
    });
  }
})();
