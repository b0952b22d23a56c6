-- KEYS epoch, run; ARGV epoch, version, ttl ms, keep ms, class rank, halted, ended, incomplete, pending
-- {'put', class as stored}, or {'raced', ''} when the epoch or the version is another one.
local h = redis.call('HMGET', KEYS[2], 'epoch', 'version', 'floor')
if redis.call('GET', KEYS[1]) ~= ARGV[1] or h[1] ~= ARGV[1] or h[2] ~= ARGV[2] then
  return {'raced', ''}
end
-- Taint is monotone: the highest declared class (1 to 4) seen in this epoch is the floor.
-- Unclassified (5) is a load's own answer and no floor: the ledger may classify the run.
local class, floor = tonumber(ARGV[5]), tonumber(h[3] or '0')
if class <= 4 then
  if class < floor then class = floor end
  floor = class
end
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
redis.call('HSET', KEYS[2], 'until', string.format('%.0f', now + tonumber(ARGV[3])), 'floor', tostring(floor), 'class', tostring(class),
  'halted', ARGV[6], 'ended', ARGV[7], 'incomplete', ARGV[8], 'pending', ARGV[9])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return {'put', tostring(class)}
