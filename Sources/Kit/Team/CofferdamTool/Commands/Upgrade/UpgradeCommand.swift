#if CommandLine
import ArgumentParser

struct UpgradeCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "upgrade",
            abstract: "Show an upgrade's progress, and control it.",
            discussion: """
                Every change requires a reason, by --reason or at the terminal. The log records it with your name.

                EXAMPLES
                  \(Tool.name) upgrade status
                  \(Tool.name) upgrade plan
                  \(Tool.name) upgrade allow ada@example.com --reason "our own team first"
                  \(Tool.name) upgrade advance --reason "shadow agreed upon in the review"
                  \(Tool.name) upgrade promote --reason "the gate says so"
                  \(Tool.name) upgrade kill legacy --all --reason "orders fail"
                  \(Tool.name) upgrade watch --until promote

                A FLEET: its state in etcd, its evidence in Prometheus
                  \(Tool.name) upgrade status --etcd https://10.0.0.2:2379 \\
                    --prometheus https://10.0.0.4:9090 --job shop \\
                    --instances 10.0.0.7:9090,10.0.0.8:9090

                A SERVER FOR DEVICES, cofferdam-server, which decides by the same rules
                  export COFFERDAM_SERVER=https://upgrades.example.com
                  export COFFERDAM_SERVER_TOKEN_FILE=~/.cofferdam-token
                  \(Tool.name) upgrade status
                  \(Tool.name) upgrade kill legacy --reason "orders fail"

                The token's role is reader, and operator for a change; the log records the token's name. A request that is \
                not answered, or refused because the server is busy, is sent up to three times; a change is made \
                once. allow and disallow do not work there.

                Credentials are read from the environment, as etcdctl does:
                  COFFERDAM_SERVER_TOKEN, or COFFERDAM_SERVER_TOKEN_FILE: a file with it
                  COFFERDAM_SERVER_CACERT, COFFERDAM_SERVER_CERT, COFFERDAM_SERVER_KEY
                  ETCDCTL_USER, ETCDCTL_PASSWORD, ETCDCTL_CACERT, ETCDCTL_CERT, ETCDCTL_KEY
                  PROMETHEUS_TOKEN, or PROMETHEUS_USER and PROMETHEUS_PASSWORD
                  PROMETHEUS_TOKEN_FILE, PROMETHEUS_PASSWORD_FILE: files that hold them
                  PROMETHEUS_CACERT, PROMETHEUS_CERT, PROMETHEUS_KEY

                EXIT CODES
                  0    success
                  1    the change is not allowed, and nothing was changed;
                       explain: the record contradicts itself;
                       watch: ended before the awaited state
                  64   wrong usage, or no reason
                  70   the upgrades or their evidence could not be read or changed:
                       not reachable, no access, too many requests
                """,
            subcommands: [
                UpgradeStatusCommand<Tool>.self, UpgradePlanCommand<Tool>.self, UpgradeAdvanceCommand<Tool>.self,
                UpgradePromoteCommand<Tool>.self, UpgradeAbortCommand<Tool>.self,
                UpgradeRollbackCommand<Tool>.self, UpgradeKillCommand<Tool>.self, UpgradeUnkillCommand<Tool>.self,
                UpgradeOverrideCommand<Tool>.self, UpgradeReplanCommand<Tool>.self,
                UpgradeAllowCommand<Tool>.self, UpgradeDisallowCommand<Tool>.self, UpgradeHistoryCommand<Tool>.self,
                UpgradeExplainCommand<Tool>.self, UpgradeWatchCommand<Tool>.self,
            ] + forServers,
            defaultSubcommand: UpgradeStatusCommand<Tool>.self
        )
    }

    private static var forServers: [any ParsableCommand.Type] {
        #if Fleet
        [UpgradeStopFileCommand<Tool>.self]
        #else
        []
        #endif
    }
}
#endif
