internal import Logging
internal import Node

/// The interfaces: those in use, and the services published and browsed on each.
extension DiscoveryStation {
    /// Adds new interfaces and drops those that went away.
    func scanInterfaces() {
        let choice = surroundings.policy.choice(of: surroundings.interfaces(), familiar: familiar)
        let names = Dictionary(choice.used.map { ($0.index, $0.name) }) { first, _ in first }
        for (index, link) in links where names[index] != link.name { drop(link: index) }
        for (index, name) in names where links[index] == nil { links[index] = Link(name: name) }
        report(choice)
    }

    /// Reports which interfaces are in use and which are not, once for each change.
    private func report(_ choice: InterfacePolicy.Choice) {
        let interfaces = DiscoveryInterfaces(
            used: choice.used.map(\.name).sorted(),
            leftAlone: choice.ignored.map { DiscoveryInterfaces.LeftAlone(name: $0.name, reason: $0.reason.rawValue) },
            leftOut: choice.leftOut.map(\.name)
        )
        guard interfaces != reportedInterfaces else { return }
        reportedInterfaces = interfaces
        surroundings.report(.interfaces(interfaces))
        surroundings.logger.info(
            "interfaces for mDNS",
            metadata: [
                "used": "\(Self.list(interfaces.used))",
                "left.alone": "\(Self.list(interfaces.leftAlone.map(\.description), between: "; "))",
                "left.out": "\(Self.list(interfaces.leftOut))",
            ]
        )
    }

    /// The beginning of a list, which may have hundreds of entries.
    private static func list(_ words: [String], between separator: String = ", ") -> String {
        if words.isEmpty { return "none" }
        let shown = words.prefix(16).joined(separator: separator)
        return words.count > 16 ? "\(shown) and \(words.count - 16) more" : shown
    }

    /// Browses and publishes wherever that is due.
    func serveLinks(at now: ContinuousClock.Instant) {
        guard isRunning else { return }
        for index in links.keys.sorted() {
            browse(on: index, at: now)
            publish(on: index, at: now)
        }
    }

    /// Gives up an interface that is no longer there or no longer called the same.
    private func drop(link index: UInt32) {
        connection?.stopBrowsing(on: index)
        connection?.withdraw(on: index)
        for key in table.candidates(on: index) { forget(key) }
        links[index] = nil
    }

    private func browse(on index: UInt32, at now: ContinuousClock.Instant) {
        guard var link = links[index], !link.isBrowsing else { return }
        guard link.browseRetry.due == nil || link.browseRetry.isDue(at: now) else { return }
        link.browseRetry.began()
        do {
            try connection?.browse(on: index)
            link.isBrowsing = true
        } catch {
            link.browseRetry.failed(at: now)
            surroundings.logger.warning("cannot browse", metadata: ["interface": "\(link.name)", "reason": "\(error)"])
        }
        links[index] = link
    }

    private func publish(on index: UInt32, at now: ContinuousClock.Instant) {
        guard var link = links[index], var wanted = advertisement else { return }
        wanted.instanceName = link.alias ?? wanted.instanceName
        guard link.published != wanted else { return }
        guard link.publishRetry.due == nil || link.publishRetry.isDue(at: now) else { return }
        link.publishRetry.began()
        do {
            try connection?.publish(wanted, on: index)
            link.published = wanted
            links[index] = link
        } catch {
            links[index] = link
            // Another service of this machine has the name: reported at once, not by an occurrence.
            if error == .collision {
                collided(on: index, at: now)
            } else {
                publishingFailed(on: index, error, at: now)
            }
        }
    }

    /// Takes another name on an interface where ours is taken.
    ///
    /// The names are random, so a collision is a reflected network, or an attacker that wants us off the air. The new
    /// name is random again, so that the attacker would have to keep up, and the waits in between grow to a minute.
    func collided(on index: UInt32, at now: ContinuousClock.Instant) {
        guard var link = links[index], let advertisement else { return }
        // 63 bytes is the bound of a name; the suffix takes the place of the end if need be.
        let suffix = "-" + surroundings.suffix()
        let alias = String(advertisement.instanceName.prefix(63 - suffix.utf8.count)) + suffix
        remember(ownName: alias)
        link.alias = alias
        link.published = nil
        link.publishRetry.failed(at: now)
        links[index] = link
        connection?.withdraw(on: index)
        surroundings.logger.info("the service's name is taken", metadata: ["interface": "\(link.name)"])
    }

    /// Tries again later.
    func publishingFailed(on index: UInt32, _ error: AvahiError, at now: ContinuousClock.Instant) {
        // Without anything to publish there is nothing to try again: a due time that is never met would spin the
        // thread.
        guard var link = links[index], advertisement != nil else { return }
        link.published = nil
        link.publishRetry.failed(at: now)
        links[index] = link
        connection?.withdraw(on: index)
        surroundings.logger.warning("cannot publish", metadata: ["interface": "\(link.name)", "reason": "\(error)"])
    }
}
