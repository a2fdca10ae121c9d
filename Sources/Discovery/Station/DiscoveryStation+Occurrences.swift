internal import Logging
internal import Node

/// The reports of the daemon, and the reactions to them.
extension DiscoveryStation {
    /// Takes in one occurrence.
    func handle(_ occurrence: DaemonOccurrence, at now: ContinuousClock.Instant) {
        switch occurrence {
        case .running:
            began(at: now)
        case .registering:
            paused(reason: "the mDNS daemon is settling its host name")
        case .waiting:
            paused(reason: AvahiError.noDaemon.description)
        case .failed(let error):
            lost(error, at: now)
        case .published(let interface):
            let name = links[interface]?.name ?? "?"
            surroundings.logger.debug("published", metadata: ["interface": "\(name)"])
        case .collided(let interface):
            collided(on: interface, at: now)
        case .publishingFailed(let interface, let error):
            publishingFailed(on: interface, error, at: now)
        case .browsingFailed(let interface, let error):
            browsingFailed(on: interface, error, at: now)
        case .appeared(let key):
            appeared(key, at: now)
        case .vanished(let key):
            forget(key)
        case .resolved(let key, let address, let port, let strings):
            resolved(key, address, port: port, strings: strings)
        case .unresolved(let key, let error):
            unresolved(key, error, at: now)
        }
    }

    /// Asks those again that did not answer, where that is due.
    ///
    /// A machine that lost power leaves its announcement behind for 75 minutes, so its return is not announced: only
    /// asking finds out.
    func askAgain(at now: ContinuousClock.Instant) {
        guard isRunning else { return }
        for (key, schedule) in silent where schedule.isDue(at: now) { ask(key, at: now) }
    }

    /// Forgets a candidate.
    func forget(_ key: CandidateKey) {
        connection?.stopResolving(key)
        silent[key] = nil
        if let withdrawal = table.vanished(key) { report(withdrawal) }
    }

    /// Notes that nothing can be published at present; browsing continues as far as the daemon allows.
    private func paused(reason: String) {
        isRunning = false
        for index in links.keys where links[index]?.published != nil {
            links[index]?.published = nil
            connection?.withdraw(on: index)
        }
        report(condition: .unavailable(reason: reason))
    }

    private func browsingFailed(on index: UInt32, _ error: AvahiError, at now: ContinuousClock.Instant) {
        guard var link = links[index] else { return }
        connection?.stopBrowsing(on: index)
        link.isBrowsing = false
        link.browseRetry.failed(at: now)
        links[index] = link
        surroundings.logger.warning("browsing ended", metadata: ["interface": "\(link.name)", "reason": "\(error)"])
    }

    private func appeared(_ key: CandidateKey, at now: ContinuousClock.Instant) {
        guard let link = links[key.interface], !ownNames.contains(key.instanceName) else { return }
        if let evicted = table.appeared(key, interfaceName: link.name) {
            connection?.stopResolving(evicted)
            silent[evicted] = nil
        }
        ask(key, at: now)
    }

    private func ask(_ key: CandidateKey, at now: ContinuousClock.Instant) {
        silent[key]?.began()
        do {
            try connection?.resolve(key)
        } catch {
            unresolved(key, error, at: now)
        }
    }

    private func resolved(_ key: CandidateKey, _ address: ResolvedAddress, port: UInt16, strings: [[UInt8]]) {
        guard let link = links[key.interface], table.contains(key) else { return }
        silent[key] = nil
        guard port > 0, address.mayBeAPeer else { return }
        let sighting = ServiceSighting(
            instanceName: key.instanceName,
            interfaceName: link.name,
            address: address.peerAddress(port: port, interface: key.interface),
            attributes: AttributeText.attributes(of: strings)
        )
        if familiar.count < Self.familiarCountMax { familiar.insert(link.name) }
        if table.resolved(key, sighting) { surroundings.report(.sighted(sighting)) }
    }

    private func unresolved(_ key: CandidateKey, _ error: AvahiError, at now: ContinuousClock.Instant) {
        // A resolver that failed says nothing more; the next one is made when the schedule says so.
        connection?.stopResolving(key)
        guard table.contains(key) else { return }
        var schedule = silent[key] ?? RetrySchedule(first: .seconds(5), last: .seconds(300))
        schedule.failed(at: now)
        silent[key] = schedule
        if let withdrawal = table.fellSilent(key) { report(withdrawal) }
    }
}
