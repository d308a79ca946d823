#if CommandLine
/// The runbook of a team's upgrade, with the names and addresses of its own tool.
struct Runbook {
    /// The places of the upgrade that the team has.
    struct Places {
        var directory: String?
        /// The fleet's etcd, and what its evidence is read with.
        var fleet: (etcd: String, prefix: String, evidence: String, prometheus: String)?
        var server: String?
    }

    /// The tool's name.
    let tool: String
    /// The upgrades; not empty.
    let capabilities: [String]
    /// What users lose when they go back; nil if nothing.
    let costOfGoingBack: String?
    let places: Places
    /// Who keeps it up to date.
    let owner: String
    /// The date of the last drill; nil if there was none.
    let lastDrill: String?

    /// Markdown.
    var text: String {
        [
            head, alerts, questions, look, stop, goingOn, check, failures, team, places.server.map(serverSection),
            "More: *Operating an upgrade*, in the documentation of `CofferdamUpgrade`.",
        ]
        .compactMap(\.self).joined(separator: "\n\n") + "\n"
    }

    private var name: String { capabilities.first ?? "NAME" }
    /// What a command for all upgrades needs.
    private var all: String { capabilities.count > 1 ? " --all" : "" }

    // MARK: Commands

    /// A block with the command for each place.
    private func block(_ command: String, readsEvidence: Bool = false) -> String {
        let options = [
            places.directory.map { "--state \($0)" },
            places.fleet.map { "--etcd \($0.etcd)\(readsEvidence && !$0.evidence.isEmpty ? " \($0.evidence)" : "")" },
            places.server.map { "--server \($0)" },
        ]
        let lines = options.compactMap(\.self).map { "\(tool) upgrade \(command) \($0)" }
        return "```sh\n\(lines.joined(separator: "\n"))\n```"
    }

    // MARK: Sections

    private var head: String {
        let kinds = [
            places.directory.map { _ in "for an upgrade kept in a directory" }, places.fleet.map { _ in "for a fleet" },
            places.server.map { _ in "for devices that follow a server" },
        ]
        .compactMap(\.self)
        let order =
            kinds.count > 1
            ? "\nWhere several commands are listed, they are, in this order: \(kinds.joined(separator: "; "))." : ""
        let token = places.server.map { _ in
            """

            A server needs your token: `export COFFERDAM_SERVER_TOKEN_FILE=~/.cofferdam-token`.
            """
        }
        return """
            # Runbook: an upgrade in trouble

            Owner: \(owner). Last drill: \(lastDrill ?? "none yet"); the next one: `rehearse --drill` of your team's tool.

            For the engineer on call. No step here needs approval, and none of them makes things worse for users than V1 was. Each command answers
            within seconds.\(order)\(token ?? "")
            """
    }

    private var alerts: String {
        let unreachable =
            places.server == nil
            ? ""
            : "\n| the page or the tool cannot reach the server | Devices stay where they are. | [7](#7-devices-that-follow-a-server) |"
        return """
            | what you got | what it means | go to |
            |---|---|---|
            | `…: back by the gate: 5 % on V2 → V1 only` | V2 failed, and is withdrawn already. | [1](#1-look-at-it), then [6](#6-tell-the-team) |
            | `…: left to a person by the gate` | The time of a step is over without a decision. Users are as before. | [1](#1-look-at-it) |
            | `…: 137 devices have switched place from V2 to V1, because it fails` | These devices use V1 for this operation by themselves. Others may still fail. | [1](#1-look-at-it), then [2](#2-stop-it) |
            | `…: all users to V1` or `stop where it is` | A person stopped it. | [4](#4-check-that-it-worked) |
            | users or support report errors | | [1](#1-look-at-it) |\(unreachable)
            """
    }

    private var questions: String {
        """
        Three questions decide:

        1. **Are users on V2?** The first sentence of `status` says it. If all are on V1, the errors come from elsewhere.
        2. **Does V2 fail for more of them than V1?** If yes, or if you cannot tell: [stop it](#2-stop-it). Stopping costs users less than
           waiting.
        3. **Is it stopped?** [Check it](#4-check-that-it-worked) by the devices or instances that have the change, not by the command's
           success.
        """
    }

    private var look: String {
        """
        ## 1. Look at it

        \(block("status", readsEvidence: true))

        ```
        \(name)  5 % on V2 for 1 min
          5 % of users are on V2. 6 of 826 had a failure on V2 (0.73 %); on V1 9 of
          15,702 (0.06 %).
          Next: all on V2, V1 steps in, after 21,283 more users without a failure.

          OPERATION  USERS  FAILED ON V2  FAILED ON V1  ENOUGH TO DECIDE?
          place        311      6 (1.9 %)     2 (0.04 %)  no; its failures count
          search       826              0     7 (0.04 %)  21,283 more users
        ```

        The first sentence says what users get and for how many of them it fails. The second says what happens next, and whether it waits
        for you. "No news from devices … do not trust the numbers" means that the counts are old: judge by what support hears.
        `\(tool) upgrade explain` shows the statistics behind both.
        """
    }

    private var stop: String {
        let cost = costOfGoingBack.map { "\(tool): \($0)\n" } ?? ""
        let lost =
            costOfGoingBack == nil
            ? "" : "The first line is what users lose when their calls go back; your team's tool declares it once.\n\n"
        let confirmed =
            places.server == nil
            ? "" : "\n41,200 of 41,200 connected devices have it. Others get it at their next start."
        let lines = [
            places.directory.map { directory in
                capabilities.map { #"echo '{"target": "legacy"}' > \#(directory)/\#($0)/kill.json"# }.joined(
                    separator: "\n"
                )
            },
            places.fleet.map { fleet in
                capabilities.map {
                    #"etcdctl --endpoints \#(fleet.etcd) put \#(fleet.prefix)/\#($0)/kill '{"target": "legacy"}'"#
                }
                .joined(separator: "\n")
            },
        ]
        .compactMap(\.self)
        let byHand =
            lines.isEmpty
            ? ""
            : """


            If the tool cannot reach the state, paste:

            ```sh
            \(lines.joined(separator: "\n"))
            ```
            """
        return """
            ## 2. Stop it

            \(block("kill legacy --all --reason \"orders fail\""))

            ```
            \(cost)\(name): all users to V1, by amara: 5 % on V2 → stopped: all on V1\(confirmed)
            `\(tool) upgrade resume` does not bring V2 back: it continues with V1 only, as a new attempt.
            ```

            \(lost)| what is broken | command | effect |
            |---|---|---|
            | V2, or you do not know which | `kill legacy` | every call goes to the legacy side |
            | V1 | `kill candidate --everybody-to-v2` | every call goes to the candidate; only once V2 has answered users. A server needs an admin's token |
            | the upgrade itself moves when it should not | `kill freeze` | no step up, and none by the gate; you may still go back |

            Every running app obeys within a second; a device that is not connected to the server obeys the next time it asks. The log records
            your login name, or the one that you give with `--by NAME`; a server records the name of your token. If the tool says that the
            upgrade *had never begun here*, you have stopped nothing: this is the wrong place.\(byHand)
            """
    }

    private var goingOn: String {
        """
        ## 3. Go on without V2

        The kill switch stays set until someone clears it. **`resume` does not bring V2 back:** after `kill legacy` it moves the upgrade to
        `legacyOnly`, where no call asks V2, and the upgrade begins again as a new attempt, with stricter gates, when a person takes its
        first step. After `kill candidate` and `kill freeze` the upgrade goes on at its stage; to leave that stage, `rollback` goes all the
        way to `legacyOnly`, and `rollback --to "shadow(10000)"` stops earlier.

        \(block("resume\(all) --reason \"V2 is being mended\""))

        ```
        \(name): stop lifted, by amara: stopped: all on V1 → V1 only
        ```
        """
    }

    private var check: String {
        let files =
            places.directory == nil ? "" : " On one machine, the app's own log says which side answered last."
        let instances = places.fleet.map { fleet in
            """


            In a fleet, ask Prometheus for the stage at which each instance counts. An instance that still shows the old stage has not been
            scraped since, or has not followed. Each line must show the new stage:

            ```sh
            curl -sG \(fleet.prometheus)/api/v1/query --data-urlencode 'query=topk by (instance) (1, cofferdam_upgrade_last_write_timestamp_seconds{capability="\(name)"})' | jq -r '.data.result[].metric | "\\(.instance) \\(.stage) epoch \\(.epoch)"'
            ```

            ```
            10.0.0.7:9090 legacyOnly epoch 3
            10.0.0.8:9090 legacyOnly epoch 3
            ```
            """
        }
        let devices =
            places.server == nil
            ? ""
            : " With a server, `kill`, `rollback` and `resume` count the connected devices that have the change, and the page does."
        return """
            ## 4. Check that it worked

            The stage must be the one that you asked for, with no kill switch set:

            \(block("status", readsEvidence: true))

            ```
            \(name)  V1 only for 0 s
              V2 was withdrawn. All users are on V1.
              It waits for a person: see what happened, repair it, then begin again with V2
              in the background.
            ```

            The log must list each step, with its author and reason:

            \(block("history --last 2"))

            ```
            WHEN (UTC)           UPGRADE    WHO    WHAT             AFTERWARDS           WHY                 ENTRY
            2026-11-25 03:24:24  \(name)  amara  stop lifted      V1 only              V2 is being mended  87bf125d
            2026-11-25 03:24:23  \(name)  amara  all users to V1  stopped: all on V1   orders fail         25b61db8
            ```

            Then check that the apps have followed.\(files)\(devices)\(instances ?? "")
            """
    }

    private var failures: String {
        """
        ## 5. When a command fails

        | exit code | meaning | what to do |
        |---|---|---|
        | 1 | a rule forbids the change, and nothing was changed; the message names the rule | `frozen`: clear the kill switch first. `movedOn`: the upgrade has changed since you looked; look at `status` again. `alreadyThere`: there is nothing to change; look at `status`. `freezeWindow`: the server promotes nothing during this window; every step down is allowed. |
        | 64 | wrong usage, or no `--reason` | `\(tool) help upgrade kill` |
        | 70 | the state or its evidence could not be read or changed | Is it the right place, and may you read and write it? `kill`, `abort`, `rollback`, `resume` and `history` need no evidence. A server answers 401 to a token that it does not know, and 403 to one whose role does not permit the command: a change needs `operator`. *May have been made*: look at `history`, and repeat the command if the change is not there. |
        """
    }

    private var team: String {
        let lost = costOfGoingBack.map { "Report what users lost: \($0)" } ?? "Report what users lost."
        return """
            ## 6. Tell the team

            \(lost) `\(tool) upgrade explain ENTRY` explains a decision of the gate from the log.

            - **Support** can say: "Since 14:05 some users saw errors in orders. Since 14:20 everyone uses the version from
              before.\(costOfGoingBack.map { " \($0)" } ?? "")"
            - **A release in the App Store or on Google Play** that only carries V2's code needs no withdrawal, because the stage decides. Pause its
              phased release all the same if the app itself crashes: then no stage is asked.
            - **It is over** when `status` says `V1 only`, each device or instance has the change, and the error rate is what it was. Write down
              what failed, when it began, and how long each step of this page took.
            """
    }

    private func serverSection(_ address: String) -> String {
        """
        ## 7. Devices that follow a server

        The server's page, `\(address)/`, shows the upgrade and can move it. Sign in with any user name, and your token as the password. If you
        have neither the tool nor a browser, use curl with an operator's token in `TOKEN`:

        ```sh
        curl -sS \(address)/v1/capabilities/\(name)/kill -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"reason": "orders fail", "target": "legacy"}'
        ```

        If the server cannot be reached and V2 must be stopped, put a signed file at the address that the app was built with
        (`COFFERDAM_STOP_FILE`). A device without its server reads it when it starts or resumes, and at each poll:

        ```sh
        \(tool) upgrade stop-file --key ~/.cofferdam-stop.key --all --reason "orders fail" > stop.json
        ```

        Each device that has read it stays on V1 until the server shows that the upgrade has gone back. So when the server is up again, run
        `kill legacy` there first, and then remove the file.

        `status` says whose evidence the gate has: `Users by installation: 0 attested (0 %), 412 enrolled (8 %), 4588 plain (91 %)`. If there are
        many plain units that you cannot explain, someone posts with the app's token. They can send the upgrade back. So that they cannot promote
        it, start the server again with `--promotion-counts \(name)=enrolled`, or `=attested` if it has a verifier: the gate then counts what
        those installations have reported in this epoch.

        If the server's disk is lost, stop the server, restore the last backup, start the server again, and check each upgrade:

        ```sh
        cofferdam-server restore --from /var/backups/upgrades.sqlite --database /var/lib/upgrades.sqlite --replace
        ```

        Run it as the account that runs the server: only that account can read a new file. If it refuses the backup as damaged, take an older one;
        a backup that an earlier version wrote has no checksum and needs `--without-checksum`.

        Meanwhile devices stay at their stage; in the shadow and the canary they go back to the legacy side after an hour, and at every stage after
        the app's own limit, if it has one (`fallsBackAfter`).
        """
    }
}
#endif
