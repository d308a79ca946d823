/// The style of all pages of the kit. It loads no other resources.
package enum StyleSheet {
    /// The style sheet, for a `style` element or a separate file.
    package static let text = """
        :root { color-scheme: light dark; \(Palette.light.variables) }
        @media (prefers-color-scheme: dark) { :root { \(Palette.dark.variables) } }
        """ + "\n" + base + "\n" + tables + "\n" + parts + "\n" + charts + "\n" + controls

    private static let base = """
        *, *::before, *::after { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body { margin: 0; background: var(--background); color: var(--text); overflow-wrap: anywhere;
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
        body > header, main, body > footer { max-width: 80rem; margin: 0 auto; padding: 0 1rem; }
        body > header { padding-top: 1.5rem; }
        body > footer { padding: 1rem; color: var(--muted); font-size: 0.875rem; }
        main { padding-bottom: 2rem; }
        h1 { font-size: 1.625rem; line-height: 1.25; margin: 0; letter-spacing: -0.01em; }
        h2 { font-size: 1.125rem; line-height: 1.35; margin: 0 0 0.75rem; }
        h3 { font-size: 1rem; line-height: 1.4; margin: 1.25rem 0 0.5rem; }
        p { margin: 0.5rem 0; } ul { padding-left: 1.25rem; margin: 0.5rem 0; } small { font-size: 0.875rem; }
        section { background: var(--surface); border: 1px solid var(--hairline); border-radius: 0.75rem;
          padding: 1rem 1.25rem 1.25rem; margin: 1rem 0; }
        section > :last-child { margin-bottom: 0; }
        a { color: var(--accent); text-underline-offset: 0.15em; } .good a, .bad a, .warn a, .muted a { color: inherit; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 0.25rem; }
        .skip { position: absolute; left: -999rem; }
        .skip:focus { position: static; display: inline-block; padding: 0.5rem 1rem; }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
          white-space: nowrap; }
        .good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
        .accent { color: var(--accent); } .muted { color: var(--muted); }
        .verdict { font-size: 2rem; line-height: 1.25; font-weight: 700; margin: 0; } .verdict small { font-size: 1rem; }
        code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.8125rem; }
        pre { margin: 0.5rem 0; padding: 0.75rem 1rem; line-height: 1.45; overflow-wrap: normal; }
        li:target { outline: 2px solid var(--accent); outline-offset: 2px; }
        @media (max-width: 40rem) { section { padding: 0.875rem 1rem 1rem; } h1 { font-size: 1.375rem; } }
        """

    private static let tables = """
        .scroll { overflow-x: auto; border: 1px solid var(--hairline); border-radius: 0.5rem; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        th, td { border-bottom: 1px solid var(--hairline); padding: 0.5rem 0.625rem; text-align: left;
          vertical-align: top; white-space: nowrap; overflow-wrap: break-word; }
        tbody tr:last-child > * { border-bottom: 0; }
        thead th { color: var(--muted); font-size: 0.8125rem; font-weight: 600; vertical-align: bottom; }
        tbody th { font-weight: 600; position: sticky; left: 0; z-index: 1; background: var(--surface); }
        thead th:first-child { position: sticky; left: 0; z-index: 2; background: var(--surface); }
        .number { text-align: right; } td.wide { white-space: normal; min-width: 15rem; }
        tbody th { white-space: normal; }
        @media (max-width: 40rem) { tbody th { max-width: 42vw; font-size: 0.9375rem; } }
        dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(12.5rem, 1fr)); gap: 0.75rem 1.25rem;
          margin: 0.75rem 0; }
        dt { color: var(--muted); font-size: 0.8125rem; } dd { margin: 0; font-variant-numeric: tabular-nums; }
        dl > .wide { grid-column: 1 / -1; }
        @media (max-width: 30rem) { dl { grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); } }
        """

    private static let parts = """
        .badge { display: inline-block; padding: 0.125rem 0.625rem; border-radius: 1rem; font-size: 0.875rem;
          font-weight: 600; line-height: 1.4; background: var(--background); border: 1px solid transparent; }
        .badge.good { background: var(--good-tint); } .badge.bad { background: var(--bad-tint); }
        .badge.warn { background: var(--warn-tint); } .badge.accent { background: var(--accent-tint); }
        .notice { border-radius: 0.5rem; padding: 0.625rem 1rem; margin: 0.75rem 0; border-left: 4px solid; }
        .notice p { margin: 0.25rem 0; } .notice.good { background: var(--good-tint); }
        .notice.bad { background: var(--bad-tint); } .notice.warn { background: var(--warn-tint); }
        .notice.accent { background: var(--accent-tint); }
        mark { font-size: 0.75em; background: var(--warn-tint); color: var(--warn); border-radius: 0.25rem; padding: 0 0.125rem; }
        .line { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 0.75rem; margin: 0.5rem 0; }
        .track { list-style: none; margin: 0.75rem 0; padding: 0; display: grid; grid-auto-flow: column;
          grid-auto-columns: minmax(0, 1fr); gap: 0.375rem; }
        .track li { border-top: 4px solid var(--hairline); padding-top: 0.375rem; font-size: 0.875rem; line-height: 1.35;
          color: var(--muted); overflow-wrap: break-word; }
        .track .passed { border-color: var(--good); color: var(--good); }
        .track .current { border-color: var(--accent); color: var(--accent); font-weight: 600; }
        .track .halted { border-color: var(--bad); color: var(--bad); font-weight: 600; }
        @media (max-width: 55rem) {
          .track { grid-auto-flow: row; gap: 0.125rem; }
          .track li { border-top: 0; border-left: 4px solid var(--hairline); padding: 0.125rem 0 0.125rem 0.75rem; }
          }
        details > summary { cursor: pointer; padding: 0.25rem 0; } details[open] > summary { margin-bottom: 0.25rem; }
        td > details > summary { padding: 0; }
        summary > .line { display: inline-flex; margin: 0; max-width: calc(100% - 1.5rem); vertical-align: top; }
        .log { list-style: none; padding: 0; margin: 0; }
        .log > li { border-top: 1px solid var(--hairline); padding: 0.5rem 0; } .log > li:first-child { border-top: 0; }
        .log p { margin: 0.125rem 0; }
        """

    private static let charts = """
        figure { margin: 1.25rem 0; } figcaption { font-weight: 600; margin-bottom: 0.25rem; }
        .chart { display: block; width: 100%; min-width: 36rem; max-width: 50rem; height: auto; }
        figure > .scroll { border: 0; border-radius: 0; }
        .chart text { fill: var(--muted); font-size: 12px; paint-order: stroke; stroke: var(--surface);
          stroke-width: 3px; stroke-linejoin: round; }
        .chart .axis { stroke: var(--line); } .chart .grid { stroke: var(--hairline); }
        .chart .mark { stroke: var(--line); stroke-dasharray: 1 3; } .chart .mark-name { fill: var(--text); }
        .chart .threshold { stroke: var(--warn); stroke-width: 1.5; stroke-dasharray: 8 4; }
        .chart .threshold-name { fill: var(--warn); font-weight: 600; }
        .chart polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
        .chart .first { stroke: var(--accent); } .chart .second { stroke: var(--text); stroke-dasharray: 7 4; }
        .chart .adverse { stroke: var(--bad); stroke-dasharray: 2 3; }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0; margin: 0.25rem 0 0;
          font-size: 0.875rem; }
        .key { display: inline-block; width: 1.75rem; border-top: 2px solid var(--accent); margin-right: 0.5rem;
          vertical-align: middle; }
        .key.second { border-top: 2px dashed var(--text); } .key.adverse { border-top: 2px dotted var(--bad); }
        .key.threshold { border-top: 2px dashed var(--warn); }
        .bar { display: block; width: 100%; min-width: 7rem; max-width: 16rem; height: 0.75rem; margin: 0.25rem 0; }
        .bar .whole { fill: var(--hairline); } .bar .part { fill: var(--accent); } .bar .good { fill: var(--good); }
        .bar .bad { fill: var(--bad); } .bar .limit { stroke: var(--text); stroke-width: 2; vector-effect: non-scaling-stroke; }
        """

    private static let controls = """
        nav { font-size: 0.875rem; margin-bottom: 0.25rem; }
        #live::before { content: ""; display: inline-block; width: 0.5rem; height: 0.5rem; border-radius: 50%;
          margin-right: 0.5rem; vertical-align: 0.0625rem; background: var(--line); }
        #live[data-state="live"]::before { background: var(--good); }
        #live[data-state="lost"]::before { background: var(--bad); }
        main[data-lost] { outline: 3px solid var(--bad); outline-offset: 0.5rem; border-radius: 0.75rem; }
        .now { font-size: 1.25rem; line-height: 1.4; font-weight: 600; margin: 0.75rem 0 0.25rem; }
        h2.group { margin: 0.5rem 0 0; }
        .console { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; margin-top: 1rem; }
        .console > * { margin: 0; min-width: 0; }
        @media (min-width: 64rem) {
          .console.sided { grid-template-columns: minmax(0, 1fr) 19rem; }
          .console.sided > * { grid-column: 1; }
          .console.sided > #controls { grid-column: 2; grid-row: 1 / span 12; align-self: start; position: sticky; top: 1rem;
            max-height: calc(100vh - 2rem); overflow-y: auto; } }
        form { margin: 0 0 1rem; padding: 0 0 1rem; border-bottom: 1px solid var(--hairline); }
        details > form { margin: 0; padding: 0; border: 0; } fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
        legend { padding: 0; font-weight: 600; } label { display: block; margin: 0.5rem 0 0; font-size: 0.875rem; }
        input, select, button { font: inherit; color: inherit; border-radius: 0.5rem; border: 1px solid var(--line);
          min-height: 2.75rem; padding: 0.375rem 0.75rem; background: var(--surface); max-width: 100%; }
        input:not([type="checkbox"]), select { width: 100%; }
        input[type="checkbox"] { min-height: 0; width: 1.25rem; height: 1.25rem; vertical-align: -0.25rem;
          margin: 0 0.5rem 0 0; accent-color: var(--accent); }
        button { cursor: pointer; font-weight: 600; background: var(--accent); color: var(--surface);
          border-color: var(--accent); }
        button.quiet { background: var(--surface); color: var(--accent); }
        button.bad { background: var(--bad-tint); color: var(--bad); border-color: var(--bad); }
        button.warn { background: var(--warn-tint); color: var(--warn); border-color: var(--warn); }
        .buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.5rem; } .buttons button { flex: 1 1 auto; }
        .head { position: sticky; top: 0; z-index: 3; box-shadow: 0 0.25rem 0.5rem -0.375rem var(--line); }
        .head ~ section h2 { scroll-margin-top: 12rem; } ::placeholder { color: var(--muted); opacity: 1; }
        @media (max-width: 40rem) { .head { position: static; } .head ~ section h2 { scroll-margin-top: 0; } }
        .head p { margin: 0.25rem 0; } .head form { margin: 0.5rem 0 0; padding: 0; border: 0; align-items: center; }
        .head input[type="search"] { width: auto; flex: 1 1 8rem; min-height: 2.25rem; }
        .head select { width: auto; flex: 1 1 8rem; min-width: 0; min-height: 2.25rem; } .head button { min-height: 2.25rem; } .head a[aria-current] { font-weight: 700; text-decoration: none; }
        .families { display: block; } .families > div { display: flex; gap: 0.5rem; margin: 0.375rem 0; }
        .families dt { flex: 0 0 3.75rem; padding-top: 0.25rem; overflow-wrap: anywhere; }
        .cells { display: flex; flex-wrap: wrap; gap: 0.25rem; }
        .cells a { padding: 0.125rem 0.25rem; border: 1px solid var(--hairline); border-radius: 0.375rem; text-decoration: none;
          min-width: 2.875rem; text-align: center; } .cells a[aria-current] { border-color: var(--accent); }
        .chips { display: flex; flex-wrap: wrap; gap: 0.375rem; margin: 0.25rem 0 0.5rem; }
        html:not([data-script]) .chips { display: none; }
        .chips button { min-height: 2rem; padding: 0 0.625rem; font-size: 0.875rem; font-weight: 400; }
        .cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
        .cards > section { margin: 0; } .cards .track { grid-auto-flow: column; gap: 0.25rem; }
        .cards .track li { border-left: 0; border-top: 4px solid var(--hairline); padding: 0; }
        .cards .track .passed { border-color: var(--good); } .cards .track .current { border-color: var(--accent); }
        .cards .track .halted { border-color: var(--bad); }
        """
}
