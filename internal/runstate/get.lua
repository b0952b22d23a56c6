-- KEYS epoch, run; ARGV ttl ms, keep ms, token
-- {'stale'} without an epoch, {'hit', class, halted, ended, incomplete, pending}, or
-- {'miss', epoch, version}: what put.lua must be given back.
local epoch = redis.call('GET', KEYS[1])
if not epoch then
  return {'stale'}
end
local h = redis.call('HMGET', KEYS[2], 'epoch', 'version', 'until', 'class', 'halted', 'ended', 'incomplete', 'pending')
if h[1] ~= epoch then
  -- Another epoch's entry says nothing, its class neither: it may have been restored.
  redis.call('DEL', KEYS[2])
  redis.call('HSET', KEYS[2], 'epoch', epoch, 'version', ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
  return {'miss', epoch, ARGV[3]}
end
local t = redis.call('TIME')
local left = tonumber(h[3] or '0') - (tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000))
-- More left than the time to live: the clock went back. Then nothing is known of the age.
if left > 0 and left <= tonumber(ARGV[1]) then
  return {'hit', h[4], h[5], h[6], h[7], h[8]}
end
return {'miss', epoch, h[2]}
