import NIOCore
import NIOEmbedded
import Testing

@testable import LocalAPI

@Suite struct `A caller` {
    private static func token(_ letter: Character) -> String {
        String(repeating: letter, count: ApplicationToken.characterCountMin)
    }

    private static func application(
        _ name: String,
        _ subject: ApplicationBinding.Subject,
        token: String? = nil
    ) -> ApplicationBinding {
        ApplicationBinding(
            name: name,
            subject: subject,
            containers: ["org.example.\(name)"],
            token: token.flatMap { ApplicationToken($0) }
        )
    }

    private static func peer(_ user: UInt32, _ groups: Set<UInt32> = []) -> PeerCredentials {
        PeerCredentials(process: 1, user: user, group: user, supplementaryGroups: groups)
    }

    private static func name(_ caller: Caller, _ authorization: String? = nil) -> String {
        switch caller.role(authorization: authorization) {
        case .success(.application(let application)): application.name
        case .success(let role): "\(role)"
        case .failure(.tokenMissing): "tokenMissing"
        case .failure(.tokenUnknown): "tokenUnknown"
        case .failure(let refusal): "\(refusal)"
        }
    }

    private static let policy = AccessPolicy(
        admins: AdminPolicy(users: [500], groups: [50]),
        applications: [
            application("b", .group(60)), application("a", .group(60)), application("z", .user(7)),
            application("secret", .user(8), token: token("s")), application("other", .user(8), token: token("o")),
            application("admin", .user(500)), application("nobody", .group(0)),
        ]
    )

    @Test func `is known by user before group, by group before nothing, and admin before all`() {
        let policy = Self.policy
        #expect(policy.caller(Self.peer(0)) == .admin && policy.caller(Self.peer(500)) == .admin)
        #expect(policy.caller(Self.peer(7, [50, 60])) == .admin)
        #expect(Self.name(policy.caller(Self.peer(7, [60]))) == "z")
        #expect(Self.name(policy.caller(Self.peer(60))) == "a")
        #expect(Self.name(policy.caller(Self.peer(9, [4, 60]))) == "a")
        #expect(policy.caller(Self.peer(9)) == .other(seesStatus: false))
        #expect(policy.caller(nil) == .other(seesStatus: false))
        // Membership in the group 0 gives nothing.
        let rootGroup = PeerCredentials(process: 1, user: 9, group: 0, supplementaryGroups: [0])
        #expect(policy.caller(rootGroup) == .other(seesStatus: false))
    }

    @Test func `without a mapping in the user namespace has no role, whatever the configuration says of its id`() {
        var policy = AccessPolicy(
            admins: AdminPolicy(users: [65_534], groups: [65_534]),
            applications: [Self.application("a", .user(65_534)), Self.application("b", .group(65_534))],
            showsStatusToOthers: true
        )
        #expect(policy.caller(Self.peer(65_534)) == .admin && policy.caller(Self.peer(9, [65_534])) == .admin)
        policy.unmapped = AccessPolicy.UnmappedIdentity(user: 65_534, group: 65_534)
        #expect(policy.caller(Self.peer(65_534)) == .other(seesStatus: false))
        #expect(policy.caller(Self.peer(9, [65_534])) == .other(seesStatus: true))
        let group = PeerCredentials(process: 1, user: 9, group: 65_534)
        #expect(policy.caller(group) == .other(seesStatus: true) && policy.caller(Self.peer(0)) == .admin)
    }

    @Test func `sees the status as a stranger only where that is allowed, and never unnamed`() {
        var policy = Self.policy
        policy.showsStatusToOthers = true
        #expect(policy.caller(Self.peer(9)) == .other(seesStatus: true))
        #expect(policy.caller(nil) == .other(seesStatus: false))
        #expect(policy.isForOthers && !AccessPolicy(admins: AdminPolicy(users: [])).isForOthers)
    }

    @Test func `has no role while the file of its user is wrong, whatever its group may do`() {
        var policy = Self.policy
        policy.applications.removeAll { $0.name == "z" }
        #expect(Self.name(policy.caller(Self.peer(7, [60]))) == "a")
        policy.disabled = [DisabledApplication(name: "z", user: 7)]
        #expect(policy.caller(Self.peer(7, [60])) == .other(seesStatus: false))
        #expect(Self.name(policy.caller(Self.peer(9, [60]))) == "a")
        #expect(Self.name(policy.caller(Self.peer(8)), "Bearer " + Self.token("s")) == "secret")
        policy.applications.append(Self.application("also", .user(7)))
        #expect(
            Self.name(policy.caller(Self.peer(7, [60]))) == "also",
            "another application of the user is none of its"
        )
        let meant = AccessPolicy(
            admins: AdminPolicy(users: []),
            disabled: [DisabledApplication(name: "z", user: nil)]
        )
        #expect(meant.isForOthers, "the socket is ready for when the file is right")
    }

    @Test func `loses its connections when a new policy changes its role, and no other caller does`() {
        let inForce = PolicyInForce(Self.policy)
        let connections = OpenConnections()
        inForce.onChange { connections.review() }
        let channels = [7, 9, 500].map { (user: UInt32) in
            let peer = Self.peer(user, [60])
            let (channel, caller) = (EmbeddedChannel(), inForce.current.caller(peer))
            connections.add(channel) { inForce.current.caller(peer) == caller }
            return channel
        }
        #expect(channels.map(Self.isClosed) == [false, false, false])
        var policy = Self.policy
        policy.applications.removeAll { $0.name == "z" }
        inForce.replace(policy)
        #expect(channels.map(Self.isClosed) == [true, false, false])
        let late = EmbeddedChannel()
        connections.add(late) { false }
        #expect(Self.isClosed(late), "what was judged by the earlier policy")
    }

    private static func isClosed(_ channel: EmbeddedChannel) -> Bool {
        var isClosed = false
        channel.closeFuture.assumeIsolated().whenComplete { _ in isClosed = true }
        channel.embeddedEventLoop.run()
        return isClosed
    }

    @Test func `is the application of its token and no other`() {
        let caller = Self.policy.caller(Self.peer(8))
        #expect(Self.name(caller) == "tokenMissing")
        #expect(Self.name(caller, "Bearer " + Self.token("s")) == "secret")
        #expect(Self.name(caller, "bearer " + Self.token("o")) == "other")
        for wrong in [
            "Bearer " + Self.token("x"), "Bearer " + Self.token("s") + "s", "Basic " + Self.token("s"), "Bearer ",
            Self.token("s"), "", "Bearer  " + Self.token("s"),
        ] { #expect(Self.name(caller, wrong) == "tokenUnknown", "\(wrong)") }
        // Another user's token is worth nothing, and is refused also to an application that needs none.
        #expect(Self.name(Self.policy.caller(Self.peer(7)), "Bearer " + Self.token("s")) == "tokenUnknown")
        #expect(Self.name(Self.policy.caller(Self.peer(9)), "Bearer " + Self.token("s")).contains("other"))
    }

    @Test func `cannot use a token that is short, long or no visible text`() {
        #expect(ApplicationToken(String(repeating: "a", count: 39)) == nil)
        #expect(ApplicationToken(String(repeating: "a", count: 513)) == nil)
        #expect(ApplicationToken(String(repeating: "ä", count: 40)) == nil)
        #expect(ApplicationToken(String(repeating: "a ", count: 40)) == nil)
        let token = ApplicationToken(Self.token("a"))
        #expect(token != nil && !"\(String(describing: token))".contains("aaaa"))
    }
}
