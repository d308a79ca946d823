#if CommandLine
    import ArgumentParser

    struct UpgradeCommand<Tool: TeamTool>: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "upgrade",
                abstract: "Show how far an upgrade has come and why, and move it.",
                discussion: """
                    Every change needs a reason: --reason, or an answer at the terminal. It stands in the log, with who made it.

                    EXAMPLES
                      \(Tool.name) upgrade status
                      \(Tool.name) upgrade plan
                      \(Tool.name) upgrade advance --reason "shadow agreed upon in the review"
                      \(Tool.name) upgrade promote --reason "the gate says so"
                      \(Tool.name) upgrade kill legacy --all --reason "orders fail"
                      \(Tool.name) upgrade watch --until promote

                    EXIT CODES
                      0    done, or shown
                      1    a rule forbids it, nothing was changed; explain: the record contradicts itself;
                           watch: ended before what it waits for
                      64   called in a wrong way, or without a reason
                      70   what keeps the upgrades could not be read or changed
                    """,
                subcommands: [
                    UpgradeStatusCommand<Tool>.self, UpgradePlanCommand<Tool>.self, UpgradeAdvanceCommand<Tool>.self,
                    UpgradePromoteCommand<Tool>.self, UpgradeAbortCommand<Tool>.self,
                    UpgradeRollbackCommand<Tool>.self, UpgradeKillCommand<Tool>.self, UpgradeUnkillCommand<Tool>.self,
                    UpgradeOverrideCommand<Tool>.self, UpgradeHistoryCommand<Tool>.self,
                    UpgradeExplainCommand<Tool>.self, UpgradeWatchCommand<Tool>.self,
                ],
                defaultSubcommand: UpgradeStatusCommand<Tool>.self
            )
        }
    }
#endif
