#if Server
/// The script that keeps an open page up to date. It updates the differences in place, so that the focus, unfolded
/// sections and text being typed stay as they are.
enum ConsoleScript {
    static let text = #"""
        "use strict";
        (() => {
          // A press of such a button fills in the reason.
          document.documentElement.dataset.script = "";
          document.addEventListener("click", (event) => {
            const reason = event.target.dataset && event.target.dataset.reason;
            if (!reason) return;
            const field = event.target.form.elements.reason;
            field.value = reason;
            field.focus();
          });

          const main = document.getElementById("main");
          const live = document.getElementById("live");
          const page = main && main.dataset.page;
          if (!page || !live || !window.EventSource) return;
          const place = (path) => location.origin + path;
          let isBusy = false, isOutdated = false, isHeld = false, counting = 0;

          // `form.id` may be one of the form's fields.
          const idOf = (node) => node.nodeType === Node.ELEMENT_NODE ? node.getAttribute("id") : null;
          const say = (state, text) => {
            live.dataset.state = state;
            if (live.textContent !== text) live.textContent = text;
          };
          let seen = new Date();
          const lost = () => {
            main.dataset.lost = "";
            say("lost", `What you see is from ${seen.toLocaleTimeString()}. The server does not answer; trying again. `
              + "The runbook says how to stop V2 without it.");
          };

          const isChanged = (field) => {
            if (field.type === "checkbox") return field.checked !== field.defaultChecked;
            if (field.nodeName === "SELECT") return field.selectedIndex > 0;
            return field.nodeName === "INPUT" && field.value !== field.defaultValue;
          };
          const isInUse = (form) => form.hasAttribute("data-draft") || form.contains(document.activeElement)
            || [...form.elements].some(isChanged);

          const update = (old, next) => {
            if (old.nodeType !== next.nodeType || old.nodeName !== next.nodeName || idOf(old) !== idOf(next)) {
              old.replaceWith(document.importNode(next, true));
            } else if (old.nodeType !== Node.ELEMENT_NODE) {
              if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
            } else if (idOf(old) === "notice" || old.isEqualNode(next)) {
              return;
            } else if (old.nodeName === "FORM" && isInUse(old)) {
              isHeld = true;
            } else {
              for (const name of old.getAttributeNames()) {
                if (!next.hasAttribute(name) && name !== "open") old.removeAttribute(name);
              }
              for (const name of next.getAttributeNames()) {
                if (old.getAttribute(name) !== next.getAttribute(name)) old.setAttribute(name, next.getAttribute(name));
              }
              updateChildren(old, next);
            }
          };

          // An element with an id is the same element as before, even if it has moved.
          const updateChildren = (old, next) => {
            let cursor = old.firstChild;
            for (const child of [...next.childNodes]) {
              let found = cursor;
              if (idOf(child)) {
                while (found && idOf(found) !== idOf(child)) found = found.nextSibling;
              } else if (found && idOf(found)) {
                found = null;
              }
              if (!found) {
                old.insertBefore(document.importNode(child, true), cursor);
                continue;
              }
              while (cursor !== found) {
                const gone = cursor;
                cursor = cursor.nextSibling;
                gone.remove();
              }
              cursor = found.nextSibling;
              update(found, child);
            }
            while (cursor) {
              const gone = cursor;
              cursor = cursor.nextSibling;
              gone.remove();
            }
          };

          const refresh = async () => {
            isOutdated = true;
            if (isBusy) return;
            isBusy = true;
            try {
              while (isOutdated) {
                isOutdated = false;
                const answer = await fetch(place(page), { credentials: "same-origin", cache: "no-store" });
                if (!answer.ok) throw new Error(String(answer.status));
                const next = new DOMParser().parseFromString(await answer.text(), "text/html");
                isHeld = false;
                update(main, next.getElementById("main"));
                document.title = next.title;
              }
              seen = new Date();
              delete main.dataset.lost;
              say("live", "Live");
              // Devices that have not yet taken the last change are counted until all have.
              clearTimeout(counting);
              if (main.querySelector("[data-counting]")) counting = setTimeout(refresh, 1000);
            } catch {
              lost();
            } finally {
              isBusy = false;
            }
          };

          // A browser allows few connections to a server, and a hidden page needs none.
          let events = null;
          const listen = () => {
            if (events || document.hidden) return;
            events = new EventSource(place("/live"));
            events.addEventListener("change", (event) => {
              const about = main.dataset.capability;
              if (!about || JSON.parse(event.data).capability === about) refresh();
            });
            events.addEventListener("error", () => {
              lost();
              if (!events || events.readyState !== EventSource.CLOSED) return;
              events = null;
              setTimeout(listen, 5000);
            });
          };
          const silence = () => {
            if (events) events.close();
            events = null;
            say("idle", "Not live while hidden");
          };
          document.addEventListener("visibilitychange", () => { if (document.hidden) silence(); else listen(); });
          listen();
          document.addEventListener("focusout", () => { if (isHeld) setTimeout(refresh, 0); });
          // How long a stage has lasted changes without an event.
          setInterval(() => { if (!document.hidden) refresh(); }, 30000);
        })();
        """#
}
#endif
